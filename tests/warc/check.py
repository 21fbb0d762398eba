"""Whether a job did with the archives of make.py what it should.

    check.py FOLDER OUT

The survivors are read by another tool than ours: every record that should be there is, byte for
byte and in order, can be reached by its own member, and has the digests that it had.
"""

import json
import sys
import zlib
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator


def records(path):
    """The ids of its records, all of which have the digests that they should have."""
    found = []
    with open(path, "rb") as file:
        archive = ArchiveIterator(file, check_digests="raise")
        for record in archive:
            record.raw_stream.read()
            assert record.digest_checker.passed is not False, (path, record.digest_checker.problems)
            found.append(record.rec_headers.get_header("WARC-Record-ID"))
    return found


def members(path):
    """What each gzip member holds."""
    data, found = path.read_bytes(), []
    while data:
        member = zlib.decompressobj(wbits=31)
        found.append(member.decompress(data) + member.flush())
        assert member.eof, path
        data = member.unused_data
    return found


def main():
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    expected = json.loads((folder.parent / "expected.json").read_text())
    report = json.loads((out / "report.json").read_text())
    documents = sum(len(ids) for ids in expected["documents"].values())
    removed = set(expected["removed"])
    # Their requests go with them.
    gone = removed | set(expected["companions"])
    assert expected["companions"]
    assert report["documents"] == documents, (report["documents"], documents)
    assert report["skipped"] == 0, report["skipped_examples"]
    assert report["passed_over"] == expected["passed_over"], report["passed_over"]
    assert report["kept"] == documents - len(removed), (report["kept"], documents, len(removed))
    assert "image/png" in (out / "report.html").read_text()
    for name in expected["documents"]:
        before, after = records(folder / name), records(out / "kept" / name)
        stay = [record not in gone for record in before]
        assert after == [record for record, stays in zip(before, stay) if stays], (name, after)
        if name.endswith(".gz"):
            # Members are records, before and after.
            each = [member for member, stays in zip(members(folder / name), stay, strict=True) if stays]
            assert members(out / "kept" / name) == each, name
        else:
            # Nothing but the bytes of some records is gone.
            plain, kept = (folder / name).read_bytes(), (out / "kept" / name).read_bytes()
            parts = [b"WARC/1.0\r\n" + part for part in plain.split(b"WARC/1.0\r\n")[1:]]
            assert len(parts) == len(stay), name
            assert kept == b"".join(part for part, stays in zip(parts, stay) if stays), name
    print(f"{documents} documents, {len(removed)} removed, all others as they were")


main()
