#!/usr/bin/env python3
"""Judges pairs on the page that `lookalike eval sample` makes, in a browser, as a person would.

    judge_page.py LOOKALIKE OUT

LOOKALIKE is the program; OUT gets screenshots. The pages to judge are hostile: they try to run, to load
and to lead elsewhere in every way, and a server listens to whether anything of that is asked for.
"""

import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import server_page
from server_page import Browser

WORDS = " ".join(f"word{n}" for n in range(300))


class Listener(http.server.BaseHTTPRequestHandler):
    """Answers nothing, and knows what was asked for."""

    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_error(404)

    do_POST = do_GET

    def log_message(self, *_):
        pass


def page(number, elsewhere):
    """Words that a visitor sees, and all that must not happen."""
    return f"""<!DOCTYPE html><html><head><title>Page {number}</title>
<meta http-equiv="refresh" content="0;url={elsewhere}/refresh"><base href="{elsewhere}/base/">
<link rel="stylesheet" href="{elsewhere}/style.css"><link rel="preload" as="image" href="{elsewhere}/preload.png">
<style>@import "{elsewhere}/import.css"; p {{ color: green; background: url({elsewhere}/css.png) }}
@font-face {{ font-family: f; src: url({elsewhere}/font.woff) }} h1 {{ font-family: f }}</style>
<script>top.hacked = 1; fetch("{elsewhere}/fetch")</script><script src="{elsewhere}/script.js"></script></head>
<body onload="top.hacked = 2" background="{elsewhere}/background.png">
<h1>Seen by visitors</h1><p style="background-image: url('{elsewhere}/style.png')">{WORDS} number{number}</p>
<img src="{elsewhere}/tree.png" srcset="{elsewhere}/set.png 2x" alt="A tree" onerror="top.hacked = 3">
<svg><image href="{elsewhere}/svg.png"/><use href="{elsewhere}/use.svg#a"/><script>top.hacked = 4</script>
<a href="javascript:top.hacked=5"><text>svg</text></a></svg>
<iframe src="{elsewhere}/frame"></iframe><iframe srcdoc="<script>top.hacked = 6</script>"></iframe>
<object data="{elsewhere}/object"></object><embed src="{elsewhere}/embed"><video src="{elsewhere}/v" poster="{elsewhere}/p">
</video><audio src="{elsewhere}/a" autoplay></audio><form action="{elsewhere}/form"><input name="q" value="kept" autofocus
onfocus="top.hacked = 7"><button>Send</button></form><a href="{elsewhere}/link" ping="{elsewhere}/ping">a link</a>
<noscript><img src="{elsewhere}/noscript.png"></noscript><math><mtext><table><mglyph><style><!--</style>
<img title="--&gt;&lt;img src=1 onerror=top.hacked=8&gt;"></table></math>
<div id="pairs">named as ours</div></body></html>"""


def judge(browser, listener, folder, program):
    lines = ""
    for number in range(3):
        url = f"http://www.shop.example/{number}"
        lines += json.dumps({"id": f"shop-{number}", "url": url, "html": page(number, listener)}) + "\n"
    (folder / "pages.jsonl").write_text(lines)
    subprocess.run([program, "eval", "sample", "--documents", str(folder / "pages.jsonl"), "--recipes", "henzinger-b",
                    "--out", str(folder / "sample")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser.open((folder / "sample" / "judge.html").as_uri())
    browser.sees("0 of 3 judged")
    browser.sees("http://www.shop.example/0")
    frames = "[...document.querySelectorAll('iframe.page')]"
    assert browser.run(f"{frames}.length") == 2
    assert browser.run(f"{frames}.every((frame) => frame.getAttribute('sandbox') === '')")
    for shown in browser.run(f"{frames}.map((frame) => frame.srcdoc)"):
        for seen in ["Seen by visitors", "word299", "picture tree.png: A tree", 'value="kept"', "color: green"]:
            assert seen in shown, (seen, shown)
        hidden = ["<script", "onload", "<iframe", "<object", "<link", "<base", "refresh", "href", "url("]
        assert not [name for name in hidden if name in shown], shown
    # What would be asked for is asked for by now.
    time.sleep(2)
    assert browser.run("window.hacked") is None
    browser.pictures(Path(server_page.OUT), "judge")

    browser.write("#judge", "Ada")
    browser.run("document.activeElement.blur()")
    browser.key("c")
    browser.sees("1 of 3 judged")
    browser.write("#reason", "form")
    browser.key("Enter")
    browser.key("u")
    browser.sees("2 of 3 judged")
    labels = browser.run("labels()")
    first, second = map(json.loads, labels.splitlines())
    assert (first["label"], first["judge"], first["weight"]) == ("correct", "Ada", 1), first
    assert (second["label"], second["reason"]) == ("undecided", "form"), second

    # In another browser, or when this one has forgotten.
    browser.run("localStorage.clear()")
    browser.open((folder / "sample" / "judge.html").as_uri())
    browser.sees("0 of 3 judged")
    browser.run(f"load({json.dumps(labels + 'no label')})")
    browser.sees("2 of 3 judged; 2 labels were taken over, 1 lines are of other pairs or no labels")
    browser.sees("Pair 3")
    assert browser.run("document.querySelector('#judge').value") == "Ada"
    browser.key("i")
    browser.sees("That was the last pair")
    assert len(browser.run("labels()").splitlines()) == 3
    assert not Listener.asked, Listener.asked


def main():
    folder = Path(tempfile.mkdtemp())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(folder / "browser")
    try:
        browser.size(1200, 900, "light")
        judge(browser, f"http://127.0.0.1:{server.server_port}", folder, sys.argv[1])
    finally:
        browser.close()
        server.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"judging: hostile pages are seen and do nothing; pictures are in {sys.argv[2]}")


if __name__ == "__main__":
    server_page.OUT = sys.argv[2]
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    main()
