#!/usr/bin/env python3
"""Drives the web page in a browser, as a person would, and asserts what that person sees.

    server_page.py LOOKALIKE OUT

LOOKALIKE is the program; OUT gets screenshots. Speaks the DevTools protocol to Debian's chromium,
which needs nothing but a web socket.
"""

import base64
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import websocket

TOKEN = "a-token-for-this-test-only"
LETTER = (
    "Dear neighbours, the roof of our house will be repaired in March. Please keep the yard free of "
    "cars and bicycles from Monday the third until Friday the fourteenth, since the scaffolding will "
    "stand there. The stairs stay open, and the cellar can be used as always. If you have questions, "
    "ask the office on the ground floor, which is open every day from nine to twelve."
)
LETTER_WORDS = re.findall(r"\w+", LETTER)
FRAME = "Example News. Home World Science Sports Weather Letters. Search this site and its archive since 1901."
HOSTILE_ID = '<img src=x onerror="window.hacked=1">'
HOSTILE = '<script>window.hacked=2</script> "quoted" & <b>bold</b> \u202etxet\u202c words of nobody else'


# What sticks out at the right, but for what can be scrolled to: a table in a box, a text in lines.
CUT_OFF = """[...document.querySelectorAll('body *')].filter((element) => {
    const box = element.getBoundingClientRect();
    const scrolls = (part) => part && (/auto|scroll/.test(getComputedStyle(part).overflowX)
        || scrolls(part.parentElement));
    return box.width > 0 && box.right > innerWidth + 1 && !scrolls(element);
}).map((element) => element.outerHTML.slice(0, 80)).join()"""


class Browser:
    """One tab of a headless browser."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-port=0", "--remote-allow-origins=*",
             f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        port = None
        while port is None:
            line = self.process.stderr.readline()
            if not line:
                sys.exit("server_page: chromium did not start")
            found = re.search(r"ws://127\.0\.0\.1:(\d+)/", line)
            port = found and found.group(1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            tabs = json.load(answer)
        url = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        self.socket = websocket.create_connection(url, timeout=60)
        self.number = 0
        self.faults = []
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self.notice(message)

    def notice(self, event):
        """Dialogs are agreed to; whatever a page complains of is kept."""
        parameters = event.get("params", {})
        if event.get("method") == "Page.javascriptDialogOpening":
            self.number += 1
            self.socket.send(json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog",
                                         "params": {"accept": True}}))
        elif event.get("method") == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(parameters["exceptionDetails"])[:500])
        elif event.get("method") == "Log.entryAdded":
            entry = parameters["entry"]
            # Answers of 4xx and servers that are away are a part of the test.
            if entry["level"] == "error" and entry["source"] != "network":
                self.faults.append(entry["text"])

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def wait(self, condition):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({condition})"):
                    return
            except AssertionError:
                pass  # Between two pages there is nothing to ask.
            time.sleep(0.05)
        self.picture(Path(OUT), "failed")
        raise AssertionError(f"never: {condition}\n{self.text()}")

    def text(self):
        return self.run("document.body.innerText")

    def sees(self, text):
        self.wait(f"document.body.innerText.includes({json.dumps(text)})")

    def write(self, selector, text):
        """Puts the cursor into a field, empties it, and types."""
        self.run(f"""(() => {{ const field = document.querySelector({json.dumps(selector)});
            field.focus(); field.select(); }})()""")
        self.call("Input.insertText", text=text)
        if text == "":
            self.run(f"document.querySelector({json.dumps(selector)}).value = ''")

    def click(self, selector, text=None):
        """Clicks the first visible element, or the first that says this."""
        script = f"""(() => {{
            const found = [...document.querySelectorAll({json.dumps(selector)})].find((element) =>
                element.checkVisibility() && !element.disabled
                && element.innerText.includes({json.dumps(text or "")}));
            found?.click();
            return Boolean(found);
        }})()"""
        end = time.monotonic() + 20
        while not self.run(script):
            assert time.monotonic() < end, f"nothing to click: {selector} {text}\n{self.text()}"
            time.sleep(0.05)

    def key(self, key, control=False):
        code = {"Enter": 13}.get(key, ord(key[0].upper()))
        parameters = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
        if not control:
            parameters["text"] = "\r" if key == "Enter" else key
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        parameters.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def size(self, width, height, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, folder, name):
        png = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        (folder / f"{name}.png").write_bytes(base64.b64decode(png))

    def pictures(self, folder, name):
        """The view as it is now, large and on a phone, in light and in dark."""
        for kind, width, height in [("wide", 1200, 900), ("phone", 360, 740)]:
            for scheme in ["light", "dark"]:
                self.size(width, height, scheme)
                wide = self.run("document.documentElement.scrollWidth")
                assert wide <= width, f"{name}: {wide} pixels wide on a screen of {width}"
                cut_off = self.run(CUT_OFF)
                assert not cut_off, f"{name}: cut off on a screen of {width}: {cut_off}"
                self.picture(folder, f"{name}-{kind}-{scheme}")
        self.size(1200, 900, "light")

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


class Server:
    """The program under test."""

    def __init__(self, program, folder, *flags, command=None):
        self.log = open(folder / "server.log", "a+")
        command = command or ["serve", str(folder / "index"), "--create"]
        self.process = subprocess.Popen([program, *command, "--listen", "127.0.0.1:0", *flags],
                                        stderr=subprocess.PIPE, text=True)
        line = ""
        while "listening at" not in line:
            line = self.process.stderr.readline()
            if not line:
                sys.exit("server_page: the server did not start")
        self.url = line.split()[-1].rstrip("/")
        # Nobody reads the log of requests; a full pipe would stop the server.
        self.reader = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=self.log)

    def bulk(self, operations):
        body = "".join(json.dumps(operation) + "\n" for operation in operations).encode()
        request = urllib.request.Request(f"{self.url}/v1/bulk", data=body, headers={
            "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/x-ndjson"})
        with urllib.request.urlopen(request) as answer:
            lines = answer.read().splitlines()
        assert len(lines) == len(operations)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0, "it did not stop well"
        self.reader.wait()


def token(browser, server):
    browser.open(server.url)
    browser.sees("This server asks for a token")
    browser.pictures(Path(OUT), "token")
    browser.write("#token input", "this-is-not-the-token")
    browser.key("Enter")
    browser.sees("The server does not know this token.")
    browser.write("#token input", TOKEN)
    browser.click("#token button")
    browser.sees("0 documents known")
    browser.wait("document.getElementById('token').hidden && document.getElementById('notice').hidden")


def check(browser):
    browser.click("button[name=check]")
    browser.sees("There is nothing to check yet")
    browser.write("#check-form textarea", LETTER)
    browser.key("Enter", control=True)
    browser.sees("Nothing like it is known.")
    browser.click("button[name=add]")
    browser.sees("To add it, give it an id")
    browser.write("#check-form input[name=id]", "letter")
    browser.write("#check-form input[name=url]", "http://example.org/letter")
    browser.click("button[name=add]")
    browser.sees("Added.")
    browser.sees("1 document known")
    browser.write("#check-form textarea", LETTER.replace("Dear", "Good").replace("twelve", "eleven"))
    browser.click("button[name=add-new]")
    browser.sees("One look-alike is known. It was not added.")
    browser.sees("stands for it")
    browser.click("#check-answer button", "What differs")
    browser.wait("document.querySelectorAll('#check-answer del').length === 2")
    marked = browser.run("[...document.querySelectorAll('#check-answer del, #check-answer ins')]"
                         ".map((element) => element.innerText).join(' ')")
    assert sorted(marked.split()) == ["Dear", "Good", "eleven.", "twelve."], marked
    browser.pictures(Path(OUT), "check")


def drop(browser):
    browser.run("""(() => {
        const data = new DataTransfer();
        data.items.add(new File(['<p>A page that was dropped, with words of its own.'], 'dropped.html'));
        const field = document.querySelector('#check-form textarea');
        document.querySelector('#check-form input[name=id]').value = '';
        field.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()""")
    browser.wait("document.querySelector('#check-form textarea').value.startsWith('<p>A page')")
    browser.wait("document.querySelector('#check-form').elements.kind.value === 'html'")
    browser.click("button[name=add-new]")
    browser.sees("Nothing like it is known. It was added.")
    browser.sees("2 documents known")


def hostile(browser):
    browser.click("input[name=kind][value=text]")
    browser.write("#check-form textarea", HOSTILE)
    browser.write("#check-form input[name=id]", HOSTILE_ID)
    browser.click("button[name=add]")
    browser.sees("3 documents known")
    browser.click("button[name=check]")
    browser.sees(HOSTILE_ID)
    browser.click("#check-answer button", "What differs")
    browser.sees("The same words in the same order")
    browser.click("#check-answer a", "Open")
    browser.sees("<script>window.hacked=2</script>")
    assert browser.run("window.hacked") is None, "a document ran"
    assert browser.run("document.querySelectorAll('main img, main script').length") == 0
    browser.click("#browse-document button", "Remove")
    browser.sees("was removed.")
    browser.sees("2 documents known")


def compare(browser):
    browser.run("document.activeElement.blur()")
    browser.key("2")
    browser.sees("How much have two documents in common?")
    browser.key("/")
    browser.wait("document.activeElement.name === 'a'")
    browser.call("Input.insertText", text="the price is 40 euros today and every day of this long month")
    browser.click("#compare-form button")
    browser.sees("The second document is missing")
    browser.write("#compare-form textarea[name=b]",
                  "the price is 55 euros today and every day of this long month")
    browser.key("Enter", control=True)
    browser.sees("Not look-alikes: the recipe wants a resemblance of 0.8")
    assert browser.run("document.querySelector('#compare-answer del').innerText") == "40"
    assert browser.run("document.querySelector('#compare-answer ins').innerText") == "55"
    browser.pictures(Path(OUT), "compare")
    browser.write("#compare-form input[name=a-id]", "letter")
    browser.click("#compare-form button")
    browser.sees("has both a text and an id")
    browser.write("#compare-form textarea[name=a]", "")
    browser.write("#compare-form input[name=a-id]", "nowhere")
    browser.click("#compare-form button")
    browser.sees("There is no such document")


def browse(browser, server):
    server.bulk([{"op": "add", "document": {"id": f"page/{n}", "text": f"number {n} " * (n + 1)}}
                 for n in range(120)])
    browser.run("document.activeElement.blur()")
    browser.key("3")
    browser.sees("page/40")
    assert "page/60" not in browser.text()
    browser.click("#browse-list button", "Later")
    browser.sees("page/60")
    browser.click("#browse-list button", "Earlier")
    browser.sees("page/40")
    browser.write("#search-form input", "NUMBER 77, number")
    browser.click("#search-form button")
    browser.wait("document.querySelectorAll('#browse-list tbody tr').length === 1")
    browser.sees("page/77")
    assert "Looked through" not in browser.text()
    browser.pictures(Path(OUT), "search")
    browser.write("#search-form input", "nowhere at all")
    browser.click("#search-form button")
    browser.sees("No document has that in its id, its URL or its text.")
    browser.write("#search-form input", "")
    browser.click("#search-form button")
    browser.click("#browse-list a", "letter")
    browser.sees("Dear neighbours, the roof")
    browser.pictures(Path(OUT), "browse")
    browser.click("#browse-document button", "Remove")
    browser.sees("letter was removed.")
    browser.write("#browse-form input", "letter")
    browser.click("#browse-form button")
    browser.sees("the index has no document of this id")


def clusters(browser, server):
    letters = [LETTER, LETTER.replace("Dear", "Good"), LETTER.replace("twelve", "eleven")]
    server.bulk([{"op": "add", "document": {"id": f"roof/{n}", "text": text}}
                 for n, text in enumerate(letters)])
    browser.run("document.activeElement.blur()")
    # An answer that is late, so that what stands there meanwhile can be seen.
    browser.run("""window.promptly = window.fetch, window.fetch = async (...request) => {
        if (!request[0].startsWith('/v1/clusters')) return window.promptly(...request);
        await new Promise((go) => { window.go = go; });
        return Response.json({ clusters: [], next: 41, end: 125 });
    }, null""")
    browser.key("4")
    browser.sees("Looking through the documents")
    # Nothing yet: it asks for more, and tells how far it is.
    browser.run("window.go(), null")
    browser.sees("Looked through 42 of 125, found 0")
    browser.pictures(Path(OUT), "progress")
    browser.click("#clusters-answer button", "Stop")
    browser.run("window.go(), null")
    browser.sees("None so far: looked through up to number 41.")
    browser.run("window.fetch = window.promptly, null")
    browser.click("#clusters-answer button", "Later")
    browser.sees("3 documents")
    browser.sees("near roof/0, 0.")
    browser.click("#clusters-answer button", "What differs")
    browser.wait("document.querySelectorAll('#clusters-answer del').length === 1")
    browser.pictures(Path(OUT), "clusters")
    browser.click("#clusters-answer a", "roof/2")
    browser.sees("from nine to eleven.")


def statistics(browser):
    browser.click("nav a", "Statistics")
    browser.sees("Documents since the start")
    browser.wait("document.querySelectorAll('#stats-answer svg .bar').length >= 38")
    browser.wait("document.querySelectorAll('#stats-answer svg .curve').length === 1")
    browser.pictures(Path(OUT), "stats")


def runs(browser, server):
    browser.click("nav a", "Runs")
    browser.sees("my run")
    browser.pictures(Path(OUT), "runs")
    href = browser.run("document.querySelector('#runs-answer a').href")
    assert "ticket=" in href
    browser.open(href)
    browser.sees("What the run found")
    browser.open(server.url)
    browser.sees("documents known")


def too_large(browser):
    browser.click("nav a", "Check")
    browser.run("document.querySelector('#check-form textarea').value = 'x'.repeat(300000)")
    browser.click("button[name=check]")
    browser.sees("That is too large: 300,011 bytes, and this server takes 262,144.")


def away(browser, server):
    browser.write("#check-form textarea", LETTER)
    server.stop()
    browser.click("button[name=check]")
    browser.sees("The server does not answer.")
    assert browser.run("document.querySelector('#check-form textarea').value") == LETTER
    browser.pictures(Path(OUT), "away")


def templates(browser, program, folder):
    """Pages of one site, whose frame a run has learned."""
    folder.mkdir()
    pages = folder / "pages.jsonl"
    own = [" ".join(f"{word}{n}" for word in LETTER.split()) for n in range(24)]
    own.append(own[3].replace("roof3", "chimney3"))
    with pages.open("w") as file:
        for n, text in enumerate(own):
            text = f"{FRAME} Read {17 * n} times. {text} {FRAME[::-1]}"
            file.write(json.dumps({"id": f"page/{n}", "url": f"http://news.example/{n}", "text": text}) + "\n")
    index, run = str(folder / "index"), str(folder / "run")
    for command in [["dedup", str(pages), "--recipe", "sites", "--out", run],
                    ["index", "create", index, "--recipe", "sites", "--learned", run],
                    ["index", "add", index, str(pages)]]:
        subprocess.run([program, *command], check=True, capture_output=True)
    server = Server(program, folder)
    browser.open(server.url)
    browser.sees("25 documents known")
    browser.click("nav a", "Clusters")
    browser.click("#clusters-answer button", "What differs")
    browser.sees("Grey is left out of the comparison: the template of the site.")
    assert browser.run("document.querySelector('#clusters-answer del').innerText") == "roof3"
    assert browser.run("document.querySelectorAll('td .template').length") > 0
    assert browser.run("document.querySelector('td .template').title") == "left out: the template of the site"
    browser.pictures(Path(OUT), "templates")
    server.stop()


def run_to_view(program, folder):
    """A run of 72 clusters: copies, near-duplicates, both; one of 40 documents, and a hostile one."""
    folder.mkdir()
    letters, lines = LETTER.split(), []
    for n in range(70):
        text = " ".join(f"{word}{n}" if at % 3 == 0 else word for at, word in enumerate(letters))
        versions = [text, text.replace("Friday", "Sunday")] if n % 2 else [text, text.upper()]
        if n % 7 == 0:
            versions.append(text.replace("scaffolding", "crane"))
        for number, version in enumerate(versions):
            site = ["old.example", "new.example"][number % 2]
            lines.append({"id": f"letter-{n}/{number}", "url": f"http://www.{site}/{n}/{number}", "text": version})
    lines += [{"id": f"many-{n}", "text": f"{LETTER} It is {n} degrees."} for n in range(40)]
    lines += [{"id": f"{HOSTILE_ID}{n}", "text": f"{HOSTILE} {LETTER[::-1]}"} for n in range(2)]
    documents = folder / "letters.jsonl"
    documents.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = str(folder / "run")
    subprocess.run([program, "dedup", str(documents), "--out", run], check=True, capture_output=True)
    return run


def passages_to_view(program, folder, *options):
    """A run of 40 passages, one of which stands in 40 documents more."""
    folder.mkdir()
    notice = [" ".join(f"{word}{n}" for word in LETTER_WORDS) for n in range(40)]
    texts = [f"{notice[n]}\nThis is letter {n}." for n in range(40)]
    texts += [f"Again, letter {n}.\n{notice[n]}" for n in range(40)]
    texts += [f"{HOSTILE}\n{notice[7]}\nAnd so on, {n}." for n in range(40)]
    documents = folder / "letters.jsonl"
    documents.write_text("".join(json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
    run = str(folder / "run")
    subprocess.run([program, "passages", str(documents), "--out", run, *options], check=True, capture_output=True)
    return run


def view(browser, program, folder):
    folder.mkdir()
    for run, look in [(run_to_view(program, folder / "clusters"), view_clusters),
                      (passages_to_view(program, folder / "passages"), view_passages),
                      (passages_to_view(program, folder / "annotated", "--annotate"), view_annotated)]:
        server = Server(program, folder, command=["view", run])
        try:
            look(browser, server)
        finally:
            # Whoever reads our output would wait for it.
            server.process.kill()


def view_passages(browser, server):
    opened = "document.querySelector('#passage h2')?.innerText"
    items = "document.querySelectorAll('#passages .item').length"
    browser.open(server.url)
    browser.wait("location.pathname === '/passages'")
    browser.sees("40 passages of 120 documents")
    browser.wait(f"{items} === 30 && {opened} === '42 copies of {len(LETTER_WORDS)} words'")
    browser.wait("document.querySelector('#passages .words').innerText.startsWith('Dear7 neighbours')")
    browser.wait("document.querySelector('del.here')?.innerText.startsWith('Dear7 neighbours')")
    browser.sees("It was cut of")
    browser.sees("1 to 30 of 41")
    browser.pictures(Path(OUT), "view-passages")

    # By the keyboard: the next document that it was cut of, the next passage; a link shows the same.
    browser.key("n")
    browser.wait("new URLSearchParams(location.search).has('row')")
    browser.wait("document.querySelector('.places .chosen').innerText.includes('d80')")
    browser.click("#passage button", "Later")
    browser.sees("31 to 41 of 41")
    browser.key("j")
    browser.wait(f"{opened} === '2 copies of {len(LETTER_WORDS)} words'")
    link = browser.run("location.href")
    browser.open("about:blank")
    browser.open(link)
    browser.wait(f"{opened} === '2 copies of {len(LETTER_WORDS)} words'")

    # Pages, filters and searches.
    browser.click("#pages button", "Later")
    browser.wait(f"{items} === 10")
    browser.run("history.back()")
    browser.wait(f"{items} === 30")
    browser.click("summary", "Filters")
    browser.write("[name=min_copies]", "3")
    browser.click("#more button", "Apply")
    browser.sees("1 of 40 passages")
    browser.click("#clear")
    browser.sees("40 passages\n")
    browser.write("[name=q]", "d49")
    browser.key("Enter")
    browser.sees("One document has this id or URL: 1 passage that it keeps or that was cut of it.")
    browser.wait("document.querySelector('.places .chosen').innerText.includes('d49')")
    browser.write("[name=q]", "neighbours33 the33")
    browser.key("Enter")
    browser.sees("1 found; looked through 40 of 40 passages")
    browser.write("[name=q]", "words that nobody wrote")
    browser.key("Enter")
    browser.sees("No passage is open.")
    assert browser.run("window.hacked") is None


def view_annotated(browser, server):
    browser.open(server.url)
    browser.sees("It was annotated in")
    browser.sees("Nothing was annotated of it.")
    assert not re.search(r"\bcut\b", browser.text(), re.I), browser.text()


def view_clusters(browser, server):
    opened = "document.querySelector('#cluster h2')?.innerText"
    items = "document.querySelectorAll('#clusters .item').length"
    browser.open(server.url)
    browser.sees("72 clusters of 192 documents, 0 pairs judged")
    browser.wait(f"{items} === 30 && {opened} === '40 documents like many-0'")
    browser.wait("document.querySelector('#clusters .words').innerText.startsWith('Dear neighbours, the roof')")
    browser.wait("document.querySelector('#pair del')?.innerText === '0'")
    browser.sees("1 to 30 of 40")
    browser.click("button", "Later members")
    browser.sees("31 to 40 of 40")
    browser.pictures(Path(OUT), "view-large")

    # By the keyboard: the next cluster, a member of it, a verdict.
    browser.key("j")
    browser.wait(f"{opened}.startsWith('3 documents')")
    first = browser.run(opened)
    browser.key("n")
    browser.wait("new URLSearchParams(location.search).has('b')")
    browser.wait("document.querySelector('#pair ins')?.innerText === 'crane'")
    browser.write("#pair input[name=note]", "another machine")
    browser.run("document.activeElement.blur()")
    browser.key("d")
    browser.sees("1 pair judged")
    browser.wait("document.querySelector('[data-verdict=different]').getAttribute('aria-pressed') === 'true'")
    browser.wait("document.querySelector('.members .tag.different')?.innerText === 'different'")
    browser.pictures(Path(OUT), "view")

    # A link shows the same to somebody else.
    link = browser.run("location.href")
    browser.open("about:blank")
    browser.open(link)
    browser.wait(f"{opened} === {json.dumps(first)}")
    browser.wait("document.querySelector('#pair ins')?.innerText === 'crane'")
    browser.wait("document.querySelector('[data-verdict=different]').getAttribute('aria-pressed') === 'true'")
    assert browser.run("document.querySelector('#pair input[name=note]').value") == "another machine"
    labels = browser.run("fetch('/v1/labels').then((answer) => answer.text())")
    assert json.loads(labels)["label"] == "incorrect" and json.loads(labels)["reason"] == "another machine"

    # Pages, on and back, also by the keyboard.
    browser.open(server.url)
    browser.wait(f"{items} === 30")
    browser.click("#pages button", "Later")
    browser.wait("new URLSearchParams(location.search).get('after') === '30'")
    browser.click("#pages button", "Later")
    browser.wait(f"{items} === 12")
    browser.key("k")
    browser.wait("new URLSearchParams(location.search).get('after') === '30'")
    browser.run("history.back()")
    browser.wait(f"{items} === 12")

    # Filters and searches.
    browser.open(server.url)
    browser.wait(f"{items} === 30")
    browser.click("summary", "Filters")
    browser.run("document.querySelector('[name=kind]').value = 'exact'")
    browser.write("[name=max_size]", "2")
    browser.click("#more button", "Apply")
    browser.sees("31 of 72 clusters")
    browser.pictures(Path(OUT), "view-filters")
    browser.click("#clear")
    browser.sees("72 clusters\n")
    browser.run("document.activeElement.blur()")
    browser.key("/")
    browser.wait("document.activeElement.name === 'q'")
    browser.write("[name=q]", "letter-5/1")
    browser.key("Enter")
    browser.sees("One document has this id or URL, in 1 cluster.")
    browser.wait(f"{opened} === '2 documents like http://www.old.example/5/0'")
    browser.write("[name=q]", "neighbours33 the roof")
    browser.key("Enter")
    browser.sees("0 found; looked through 72 of 72 clusters")
    browser.write("[name=q]", "neighbours, the roof33")
    browser.key("Enter")
    browser.sees("1 found; looked through 72 of 72 clusters")
    browser.write("[name=q]", "")
    browser.write("[name=site]", "new.example")
    browser.key("Enter")
    browser.sees("30 found; looked through")

    # What documents say stays text, and help is a key away.
    browser.open(f"{server.url}/?q={urllib.parse.quote(HOSTILE_ID + '0')}")
    browser.wait(f"{opened}?.includes('onerror')")
    browser.sees("<script>window.hacked=2</script>")
    assert browser.run("window.hacked") is None
    browser.key("?")
    browser.wait("document.getElementById('help').open")
    browser.pictures(Path(OUT), "view-help")
    server.stop()
    browser.click("#help-close")
    browser.wait("!document.getElementById('help').open")
    browser.key("u")
    browser.sees("The server does not answer.")


def main():
    folder = Path(tempfile.mkdtemp(prefix="lookalike-page-"))
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "token").chmod(0o600)
    run = folder / "my run"
    run.mkdir()
    (run / "report.html").write_text("<!DOCTYPE html><style>p { color: teal }</style>"
                                     "<p>What the run found")
    server = Server(sys.argv[1], folder, "--token-file", str(folder / "token"), "--runs", str(run),
                    "--max-body", "256KiB")
    browser = Browser(folder / "browser")
    try:
        browser.size(1200, 900, "light")
        token(browser, server)
        check(browser)
        drop(browser)
        hostile(browser)
        compare(browser)
        browse(browser, server)
        clusters(browser, server)
        statistics(browser)
        runs(browser, server)
        too_large(browser)
        away(browser, server)
        # The page noticed that nobody was there.
        assert not browser.faults, browser.faults
        templates(browser, sys.argv[1], folder / "site")
        view(browser, sys.argv[1], folder / "view")
        assert not browser.faults, browser.faults
    finally:
        browser.close()
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"page: all is seen as it should be; pictures are in {OUT}")


if __name__ == "__main__":
    OUT = sys.argv[2]
    Path(OUT).mkdir(parents=True, exist_ok=True)
    main()
