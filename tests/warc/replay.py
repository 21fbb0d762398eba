"""What a player of web archives makes of `revisit` records: pywb replays those of the same bytes from their keepers,
and shows no look-alike in the place of a page.

    replay.py FOLDER OUT WORK
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from pywb.apps.frontendapp import FrontEndApp
from warcio.archiveiterator import ArchiveIterator
from werkzeug.test import Client

STANDARD = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
NAMES = ["crawl.warc.gz", "crawl.warc"]


def records(folder):
    for name in NAMES:
        with open(folder / name, "rb") as file:
            for record in ArchiveIterator(file):
                yield record, record.content_stream().read()


def main():
    folder, out, work = (Path(given).resolve() for given in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    os.chdir(work)
    manager = [sys.executable, "-m", "pywb.manager.manager"]
    kept = [str(out / "kept" / name) for name in NAMES]
    for command in (["init", "pages"], ["add", "pages", *kept]):
        subprocess.run([*manager, *command], check=True, capture_output=True)
    client = Client(FrontEndApp(custom_config={"debug": False}))
    pages = {record.rec_headers.get_header("WARC-Record-ID"): page for record, page in records(folder)}
    seen = {True: 0, False: 0}
    for record, _ in records(out / "kept"):
        get = record.rec_headers.get_header
        # The archives have a revisit of their own, whose capture is none of theirs.
        if record.rec_type != "revisit" or get("WARC-Profile") is None or get("WARC-Refers-To") is None:
            continue
        time = "".join(digit for digit in get("WARC-Date") if digit.isdigit())[:14]
        url = get("WARC-Target-URI")
        answer = client.get(f"/pages/{time}id_/{url}")
        is_same = get("WARC-Profile") == STANDARD
        shown = answer.status_code == 200 and answer.get_data() == pages[get("WARC-Record-ID")]
        if url.startswith("http"):
            assert shown == is_same, (url, get("WARC-Profile"), answer.status)
            seen[is_same] += 1
    assert all(seen.values()), seen
    print(f"pywb replays {seen[True]} revisits from their keepers, and none of {seen[False]} look-alikes")


main()
