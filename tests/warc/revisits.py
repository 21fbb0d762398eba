"""Whether the pages that went left `revisit` records that other tools can follow.

    revisits.py FOLDER OUT

Each names a record that was kept, with its address and its date, and says that the payloads are the same
only where they are, byte for byte.
"""

import hashlib
import json
import sys
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

STANDARD = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
OWN = "urn:x-lookalike:revisit:look-alike"


def records(path):
    """Of each record its headers, its HTTP header, and a digest of its payload."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, check_digests="raise", no_record_parse=False):
            headers = record.rec_headers
            http = record.http_headers.to_str() if record.http_headers else None
            yield headers, http, hashlib.sha256(record.raw_stream.read()).hexdigest()


def of_id(folder, names):
    found = {}
    for name in names:
        for headers, http, payload in records(folder / name):
            found.setdefault(headers.get_header("WARC-Record-ID"), (headers, http, payload))
    return found


def main():
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    expected = json.loads((folder.parent / "expected.json").read_text())
    names, removed = list(expected["documents"]), set(expected["removed"])
    before, profiles = of_id(folder, names), {STANDARD: 0, OWN: 0}
    after = of_id(out / "kept", names)
    for record_id in expected["companions"]:
        assert record_id in after, "the request of a page stays with its revisit"
    for record_id in removed:
        was, http, payload = before[record_id]
        if was.get_header("WARC-Type") == "conversion":
            assert record_id not in after, record_id
            continue
        headers, http_after, rest = after[record_id]
        get = headers.get_header
        assert get("WARC-Type") == "revisit" and http_after == http, record_id
        assert rest == hashlib.sha256().hexdigest(), "a revisit has no payload"
        keeper, _, payload_there = after[get("WARC-Refers-To")]
        assert keeper.get_header("WARC-Type") in ("response", "resource"), get("WARC-Refers-To")
        for name in ("Target-URI", "Date"):
            assert get(f"WARC-Refers-To-{name}") == keeper.get_header(f"WARC-{name}"), (record_id, name)
        same = was.get_header("WARC-Payload-Digest") == keeper.get_header("WARC-Payload-Digest")
        assert get("WARC-Profile") == (STANDARD if same else OWN), record_id
        assert not same or payload == payload_there, record_id
        for name in ("Target-URI", "Date", "Payload-Digest"):
            assert get(f"WARC-{name}") == was.get_header(f"WARC-{name}"), (record_id, name)
        profiles[get("WARC-Profile")] += 1
    assert all(profiles.values()), profiles
    # All others are the records that they were.
    for record_id, (headers, http, payload) in after.items():
        if record_id not in removed:
            assert (http, payload) == before[record_id][1:], record_id
    print("revisits by profile:", profiles)


main()
