#!/usr/bin/env python3
"""PageRank on a link graph as it was crawled, and with look-alikes collapsed onto keepers.

    benchmarks/pagerank.py BINARY DOCUMENTS [RECIPE]

DOCUMENTS are JSON lines (or .zst) of pages with `url` and `html`; their links to each other are the graph. Says
what `dedup` and `collapse-links` leave of it, and how the rank of pages changes: that of all copies
of a page in the crawled graph beside that of the keeper in the collapsed one. Needs networkx,
scipy, pyarrow and `zstd`.
"""

import json
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import networkx
import pyarrow.parquet

from end_to_end import lines


class Links(HTMLParser):
    def __init__(self, url):
        super().__init__()
        self.url, self.found = url, set()

    def handle_starttag(self, tag, attributes):
        target = dict(attributes).get("href") if tag == "a" else None
        if target:
            try:
                self.found.add(urldefrag(urljoin(self.url, target)).url)
            except ValueError:
                pass  # no address at all


def pages(path):
    for line in lines(path):
        page = json.loads(line)
        yield page["url"], page["html"]


def rank(edges):
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(edges)
    return graph, networkx.pagerank(graph)


def main():
    binary, documents, *recipe = sys.argv[1:]
    urls = {url for url, _ in pages(documents)}
    edges = []
    for url, html in pages(documents):
        links = Links(url)
        links.feed(html)
        edges += [(url, target, 1) for target in sorted(links.found & urls) if target != url]
    with tempfile.TemporaryDirectory() as folder:
        listed, collapsed, out = (Path(folder, name) for name in ("edges.jsonl", "collapsed.jsonl", "out"))
        listed.write_text("".join(json.dumps({"source": a, "target": b}) + "\n" for a, b, _ in edges))
        dedup = [binary, "dedup", documents, "--out", out, "--no-write", "--quiet"]
        subprocess.run(dedup + (["--recipe", *recipe] if recipe else []), check=True)
        links = [binary, "collapse-links", listed, "--run", out, "--by", "url", "--out", collapsed, "--json", "--quiet"]
        counts = json.loads(subprocess.run(links, check=True, capture_output=True).stdout)
        collapsed_links = map(json.loads, collapsed.read_text().splitlines())
        after_graph, after = rank([(link["source"], link["target"], link["links"]) for link in collapsed_links])
        table = pyarrow.parquet.read_table(out / "clusters.parquet", columns=["url", "row", "cluster"]).to_pylist()
    by_row = {member["row"]: member["url"] for member in table}
    keepers = {member["url"]: by_row[member["cluster"]] for member in table}
    before_graph, before = rank(edges)
    print(f"{counts['edges']:,} links of {len(before_graph):,} pages; {counts['written']:,} of {len(after_graph):,} "
          f"are left, {counts['within']:,} were within a cluster")
    alone, together = {}, {}
    for url, share in before.items():
        keeper = keepers.get(url, url)
        together[keeper] = together.get(keeper, 0) + share
        alone[keeper] = max(alone.get(keeper, 0), share)
    pairs = [("the best copy's before", alone), ("all copies' before", together), ("after", after)]
    print("\n| place | page | " + " | ".join(name for name, _ in pairs) + " |\n" + "| --- " * 5 + "|")
    for place, url in enumerate(sorted(after, key=after.get, reverse=True)[:10], 1):
        print(f"| {place} | {url} | " + " | ".join(f"{ranks.get(url, 0):.5f}" for _, ranks in pairs) + " |")
    places = {url: place for place, url in enumerate(sorted(before, key=before.get, reverse=True))}
    first = sorted(before, key=before.get, reverse=True)[:100]
    last = sorted(after, key=after.get, reverse=True)[:100]
    print(f"\nThe first 100 pages before are {len({keepers.get(url, url) for url in first})} different ones. Of the first 100"
          f" after, {sum(places.get(url, len(places)) >= 100 for url in last)} were not among them.")


if __name__ == "__main__":
    main()
