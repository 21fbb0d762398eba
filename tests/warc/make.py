"""Web archives as another tool writes them: every kind of record that crawls have.

    make.py FOLDER

Writes crawl.warc.gz, crawl.warc and text.warc.wet.gz, and expected.json beside the folder: for each
file the ids of its documents, the ids that a job over all three has to remove, and how many records are no
documents for which reason.
"""

import gzip
import io
import json
import sys
import zlib
from pathlib import Path

import brotli
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

WORDS = (
    "the lighthouse keeper wrote a letter every evening about the weather and the ships that went "
    "by while the lamp turned above him and the sea was quiet or it was not"
).split()


def text(seed, length=120):
    """Words in an order of their own for each seed."""
    state, words = seed * 7919 + 1, []
    for _ in range(length):
        state = (state * 1103515245 + 12345) % 2**31
        words.append(WORDS[(state >> 16) % len(WORDS)] + str((state >> 8) % 97))
    return " ".join(words)


def page(seed):
    return f"<html><head><title>{seed}</title></head><body><p>{text(seed)}</p></body></html>"


def chunked(body, size=100):
    pieces = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


class Archive:
    """A file, and what should be found in it."""

    def __init__(self, path, each_a_member=True):
        self.file = open(path, "wb")
        self.writer = WARCWriter(self.file, gzip=each_a_member)
        self.documents, self.removed, self.companions, self.passed_over = [], [], [], {}

    def write(self, record, why=None, goes=False):
        self.writer.write_record(record)
        record_id = record.rec_headers.get_header("WARC-Record-ID")
        if why:
            self.passed_over[why] = self.passed_over.get(why, 0) + 1
            if goes:
                self.companions.append(record_id)
        else:
            self.documents.append(record_id)
            if goes:
                self.removed.append(record_id)
        return record

    def response(self, url, body, content_type, status="200 OK", more=(), why=None, goes=False, warc=None):
        headers = [("Content-Type", content_type)] if content_type else []
        http = StatusAndHeaders(status, headers + list(more), protocol="HTTP/1.1")
        record = self.writer.create_warc_record(
            url, "response", payload=io.BytesIO(body), http_headers=http, warc_headers_dict=warc
        )
        return self.write(record, why, goes)

    def request(self, response, goes=False):
        """Its request, as warcio's own recorder writes it: after the response, naming it."""
        http = StatusAndHeaders("GET / HTTP/1.1", [("Host", "a.example")], is_http_request=True)
        url, to = (response.rec_headers.get_header(f"WARC-{name}") for name in ("Target-URI", "Record-ID"))
        record = self.writer.create_warc_record(
            url, "request", http_headers=http, warc_headers_dict={"WARC-Concurrent-To": to}
        )
        return self.write(record, "type request", goes)


def crawl(archive, host, goes):
    """A crawl of a host; `goes` if another host has the same pages."""
    info = archive.writer.create_warcinfo_record("crawl.warc", {"software": "make.py"})
    archive.write(info, "type warcinfo")
    url = f"http://{host}.example/"
    html = "text/html; charset=utf-8"
    gz = ("Content-Encoding", "gzip")
    first = archive.response(url + "1", page(1).encode(), html, goes=goes)
    archive.request(first, goes)
    archive.response(url + "2", chunked(page(2).encode()), html, more=[("Transfer-Encoding", "chunked")], goes=goes)
    # The head says so, but the body is not any more: some crawlers undo it and keep the head.
    archive.response(url + "3", page(3).encode(), html, more=[("Transfer-Encoding", "chunked"), gz], goes=goes)
    archive.response(url + "4", gzip.compress(page(4).encode()), html, more=[gz], goes=goes)
    archive.response(
        url + "5", brotli.compress(page(5).encode()), html, more=[("Content-Encoding", "br")], goes=goes
    )
    deflated = zlib.compress(page(6).encode())
    archive.response(url + "6", deflated, html, more=[("Content-Encoding", "deflate")], goes=goes)
    archive.response(
        url + "7",
        chunked(gzip.compress(page(7).encode())),
        html,
        more=[("Transfer-Encoding", "chunked"), gz],
        goes=goes,
    )
    # A charset that only the server tells, in one crawl; UTF-8 in the other.
    russian = "<p>" + " ".join(f"маяк горит ночью и море тихое {i}" for i in range(40))
    if host == "a":
        archive.response(url + "8", russian.encode("cp1251"), "text/html; charset=windows-1251", goes=goes)
    else:
        archive.response(url + "8", russian.encode(), html, goes=goes)
    archive.response(url + "9", text(9).encode(), "text/plain", goes=goes)
    archive.response(url + "10", page(10).encode(), None, goes=goes)
    # The same page on one host, with a word more: it goes in each crawl.
    near = page(1).replace("</p>", " postscript</p>").encode()
    archive.response(url + "11", near, "application/xhtml+xml", goes=True)

    archive.response(url + "none", b"<p>no such page", html, status="404 Not Found", why="status 404")
    archive.response(url + "moved", b"", html, status="301 Moved Permanently", why="status 301")
    archive.response(url + "part", page(1)[:200].encode(), html, status="206 Partial Content", why="status 206")
    archive.response(url + "a.png", b"\x89PNG\r\n\x1a\n" + bytes(5000), "image/png", why="image/png")
    archive.response(url + "what", b"\0\1\2\3", None, why="no content type")
    cut = {"WARC-Truncated": "length"}
    archive.response(url + "cut", page(1)[:300].encode(), html, warc=cut, why="truncated")
    http = StatusAndHeaders("200 OK", [("Content-Type", html)], protocol="HTTP/1.1")
    revisit = archive.writer.create_revisit_record(
        url + "1", first.rec_headers.get_header("WARC-Payload-Digest"), url + "1", "2024-01-01T00:00:00Z", http
    )
    archive.write(revisit, "type revisit")
    dns = archive.writer.create_warc_record(
        "dns:a.example", "response", payload=io.BytesIO(b"20240101\n"), warc_content_type="text/dns"
    )
    archive.write(dns, "text/dns")
    metadata = archive.writer.create_warc_record(
        url + "1", "metadata", payload=io.BytesIO(b"via: b\r\n"), warc_content_type="application/warc-fields"
    )
    archive.write(metadata, "type metadata")
    resource = archive.writer.create_warc_record(
        "file:///readme.txt", "resource", payload=io.BytesIO(text(20).encode()), warc_content_type="text/plain"
    )
    archive.write(resource, goes=goes)


def texts(archive):
    info = archive.writer.create_warcinfo_record("text.warc.wet", {"software": "make.py"})
    archive.write(info, "type warcinfo")
    for seed, goes in [(30, False), (31, False), (30, True)]:
        record = archive.writer.create_warc_record(
            f"http://a.example/{seed}",
            "conversion",
            payload=io.BytesIO(text(seed).encode()),
            warc_content_type="text/plain",
        )
        archive.write(record, goes=goes)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    expected = {"documents": {}, "removed": [], "companions": [], "passed_over": {}}
    # In the order of a job: by name.
    for name, fill in [
        ("crawl.warc", lambda archive: crawl(archive, "a", goes=False)),
        ("crawl.warc.gz", lambda archive: crawl(archive, "b", goes=True)),
        ("text.warc.wet.gz", texts),
    ]:
        archive = Archive(folder / name, each_a_member=name.endswith(".gz"))
        fill(archive)
        archive.file.close()
        expected["documents"][name] = archive.documents
        expected["removed"] += archive.removed
        expected["companions"] += archive.companions
        for why, count in archive.passed_over.items():
            expected["passed_over"][why] = expected["passed_over"].get(why, 0) + count
    (folder.parent / "expected.json").write_text(json.dumps(expected, indent=1))


main()
