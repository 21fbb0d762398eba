"""Whether what an index says is done would survive a loss of power, by the order of its system calls.

    synced.py PROGRAM

The commands of `lookalike index` run under strace, and what they did is played again on a disk that
loses everything that was not synced: bytes of a file until `fsync` of the file, names of a folder until
`fsync` of the folder. Then these must hold:

- a file that is renamed to its place has its bytes on disk, a folder all that is in it;
- nothing is made in the folder of a new index before its marker is on disk, and its header comes last;
- a journal is synced when the runs that it may name are on disk, and what was acknowledged is in it;
- nothing is taken out of or thrown away beside a rebuilt index before its name is on disk;
- when the command has said that it is done, everything is on disk, the name of the index included.

And to see that this finds something, each sync of ours is left out once: the rules must then be broken.
The count in `acknowledged` is written in place and not synced, on purpose; it may lag behind.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = ("openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,"
         "write,pwrite64,writev,ftruncate,fsync,fdatasync")
CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)(.*)$")
PATH = re.compile(r"<([^<>]*)>")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


# Folders that are synced once more before they get their names, and so could be left out before: the
# count of operations is written by what writes it for a new index, where the first sync is needed.
COVERED = ("a/copy.partial", "a/index/rebuilding")


class Disk:
    """What would be there after a loss of power, as far as it is not what is there."""

    def __init__(self, root, index, known):
        self.root = root
        self.index = index
        self.known = set(known)
        self.dirty = set()  # files with bytes that may be lost
        self.loose = {}  # folder -> names in it that may be lost
        self.moved = {}  # what was moved from one folder to another -> the first
        self.faults = []

    def fault(self, what):
        self.faults.append(what)

    def part(self, path):
        return os.path.relpath(path, self.index)

    def is_exempt(self, path):
        return os.path.basename(path) in ("lock", "acknowledged")

    def below(self, folder):
        """What of a folder is not on disk."""
        inside = folder + os.sep
        files = [f for f in self.dirty if f.startswith(inside) and not self.is_exempt(f)]
        names = [os.path.join(f, n) for f, some in self.loose.items() for n in some
                 if (f == folder or f.startswith(inside)) and os.path.basename(n) != "lock"]
        return sorted(files + names)

    def made(self, path):
        if path in self.known:
            return
        self.known.add(path)
        folder, name = os.path.split(path)
        self.loose.setdefault(folder, set()).add(name)
        if folder == self.index and name in ("store", "runs") and "creating" in self.names(folder):
            self.fault(f"`{name}` is made before the marker is on disk")

    def names(self, folder):
        return self.loose.get(folder, set())

    def removed(self, path):
        part = self.part(path)
        if part.startswith(("rebuilt", "replaced")) and self.names(self.index) & {
                "store", "runs", "acknowledged", "rebuilt"}:
            self.fault(f"`{part}` is removed before what replaces it is on disk")
        for new, folder in self.moved.items():
            if folder == path and os.path.basename(new) in self.names(os.path.dirname(new)):
                self.fault(f"`{part}` is removed before `{self.part(new)}`, which was in it, is on disk")
        self.known.discard(path)
        self.dirty.discard(path)
        folder, name = os.path.split(path)
        self.names(folder).discard(name)

    def renamed(self, old, new):
        if old in self.dirty and not self.is_exempt(new):
            self.fault(f"`{self.part(new)}` gets its name before its bytes are on disk")
        if old in self.dirty and os.path.basename(new) == "acknowledged":
            self.fault("the first count of operations gets its name before its bytes are on disk")
        for path in self.below(old):
            self.fault(f"`{self.part(new)}` gets its name before `{self.part(path)}` is on disk")
        if new == os.path.join(self.index, "index"):
            for path in self.below(self.index):
                if path != old:
                    self.fault(f"the header gets its name before `{self.part(path)}` is on disk")
        folder, name = os.path.split(os.path.dirname(old))
        if name in self.names(folder) and os.path.dirname(old) != os.path.dirname(new):
            self.fault(f"`{self.part(old)}` is taken out of a folder whose name is not on disk")
        if os.path.dirname(old) != os.path.dirname(new):
            self.moved[new] = os.path.dirname(old)

        def moved(path):
            inside = path == old or path.startswith(old + os.sep)
            return new + path[len(old):] if inside else path
        self.names(os.path.dirname(old)).discard(os.path.basename(old))
        self.known = {moved(path) for path in self.known} | {new}
        self.dirty = {moved(path) for path in self.dirty}
        self.loose = {moved(folder): names for folder, names in self.loose.items()}
        self.moved = {moved(path): folder for path, folder in self.moved.items()}
        self.loose.setdefault(os.path.dirname(new), set()).add(os.path.basename(new))

    def written(self, path):
        self.dirty.add(path)
        if self.part(path) == "acknowledged":
            self.acknowledged("an operation is acknowledged")

    def acknowledged(self, when):
        journals = [f for f in self.dirty if f.endswith(".jnl")]
        for path in journals + self.below(os.path.join(self.index, "runs")):
            self.fault(f"{when} before `{self.part(path)}` is on disk")

    def synced(self, path):
        if path.endswith(".jnl") and os.path.dirname(path) == os.path.join(self.index, "store"):
            for run in self.below(os.path.join(self.index, "runs")):
                self.fault(f"a journal is synced before `{self.part(run)}`, which it may name")
        for new, folder in self.moved.items():
            if folder == path and os.path.basename(new) in self.names(os.path.dirname(new)):
                self.fault(f"`{self.part(new)}` has lost its old name and not got its new one")
        self.dirty.discard(path)
        self.loose.pop(path, None)

    def ended(self):
        for path in self.below(self.root):
            # What fjall writes behind the writer is in the journal as well, until it is complete.
            if "/keyspaces/" not in path:
                self.fault(f"the command has said that it is done before `{self.part(path)}` is on disk")


def joined(line, unfinished):
    """A call whose end stands on a later line, as one."""
    process = line.split(" ", 1)[0]
    if "<unfinished ...>" in line:
        unfinished[process] = line.split("<unfinished ...>")[0].rstrip()
        return None
    resumed = re.match(r"^\d+ +<\.\.\. \w+ resumed>(.*)$", line)
    return unfinished.pop(process, "") + resumed.group(1) if resumed else line


def calls(trace, folder):
    """The calls that succeeded, as (what, paths or text)."""
    unfinished = {}
    for line in open(trace, errors="replace"):
        line = joined(line.rstrip("\n"), unfinished)
        found = CALL.match(line) if line else None
        if not found or int(found[4]) < 0:
            continue
        name, arguments, rest = found[2], found[3], found[5]
        paths = PATH.findall(arguments)
        texts = [os.path.normpath(os.path.join(folder, text)) for text in TEXT.findall(arguments)]
        if name in ("openat", "open", "creat") and ("O_CREAT" in arguments or name == "creat"):
            yield "made", [texts[0]]
        elif name in ("mkdir", "mkdirat"):
            yield "made", [texts[0]]
        elif name.startswith("rename"):
            yield "renamed", texts[:2]
        elif name in ("unlink", "unlinkat", "rmdir"):
            base = PATH.search(arguments)
            relative = TEXT.findall(arguments)[0]
            path = os.path.join(base[1], relative) if base and not relative.startswith("/") else texts[0]
            yield "removed", [path]
        elif name in ("write", "pwrite64", "writev", "ftruncate"):
            descriptor = arguments.split("<", 1)[0]
            if descriptor == "2" and "lookalike: " in arguments:
                yield "ended", []
            elif paths:
                yield "written", [paths[0]]
        elif name in ("fsync", "fdatasync") and paths:
            yield "synced", [paths[0]]


def play(events, root, index, known, without=()):
    disk = Disk(root, index, known)
    for number, (what, paths) in enumerate(events):
        if number in without or any(not path.startswith(root) for path in paths):
            continue
        getattr(disk, what)(*paths)
    return disk.faults


def everything(folder):
    found = {folder}
    for path, folders, files in os.walk(folder):
        found.update(os.path.join(path, name) for name in folders + files)
    return found


def damage(store):
    """Flips a bit of a content, in the first table or else the journal that has some."""
    tables = os.path.join(store, "keyspaces", "2", "tables")
    for name in os.listdir(tables):
        path = os.path.join(tables, name)
        with open(path, "r+b") as file:
            file.seek(200)
            byte = file.read(1)
            file.seek(200)
            file.write(bytes([byte[0] ^ 1]))
        return
    sys.exit("there is no table of contents to damage")


def begin_old(index):
    """An index of a version that does not count."""
    fixtures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/fixtures")
    shutil.copytree(os.path.join(fixtures, "format_v3/example.index"), index)
    keyspaces = os.path.join(index, "store/keyspaces")
    for keyspace in os.listdir(keyspaces):  # no repository keeps a folder that is empty
        os.makedirs(os.path.join(keyspaces, keyspace, "tables"), exist_ok=True)


def main():
    program = os.path.abspath(sys.argv[1])
    checked, left_out, needless = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        documents = os.path.join(folder, "documents.jsonl")
        again = os.path.join(folder, "again.jsonl")
        with open(documents, "w") as out, open(again, "w") as copies:
            for n in range(40):
                text = " ".join(f"w{(n * 7919 + w * w) % 5003}" for w in range(60))
                out.write(json.dumps({"id": str(n), "text": text}) + "\n")
                copies.write(json.dumps({"id": f"again {n}", "text": text}) + "\n")
        signatures = os.path.join(folder, "documents.signatures")
        subprocess.run([program, "sketch", documents, "--output", signatures], check=True,
                       stderr=subprocess.DEVNULL)
        parent = os.path.join(folder, "a")
        index, copy, plain, old = (os.path.join(parent, name) for name in ("index", "copy", "plain", "old"))
        begin_old(old)
        compact = ["compact", index]
        commands = [
            (index, ["create", index]),
            (plain, ["create", plain, "--no-text"]),
            (index, ["add", index, documents]),
            (plain, ["add", plain, signatures]),
            (index, ["filter", index, again]),
            (old, ["filter", old, again]),  # gets another header, and counts
            (index, ["remove", index, "3", "5"]),
            (index, compact),
            (copy, ["snapshot", index, copy]),
            (index, ["rebuild", index]),
            (index, compact),
            (index, ["rebuild", index, "--json"]),  # with a document that is damaged
        ]
        for at, arguments in commands:
            if "--json" in arguments:
                damage(os.path.join(index, "store"))
            known = everything(folder)
            trace = os.path.join(folder, "trace")
            traced = ["strace", "-f", "-y", "-s", "64", "-o", trace, "-e", f"trace={CALLS}", program]
            code = subprocess.run(traced + ["index"] + arguments, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode
            if code != (3 if "--json" in arguments else 0):
                sys.exit(f"index {arguments[0]}: ended with {code}")
            events = list(calls(trace, folder))
            os.remove(trace)
            name = "index " + arguments[0]
            if not any(what == "ended" for what, _ in events):
                sys.exit(f"{name}: never said that it was done")
            faults = play(events, folder, at, known)
            if faults:
                sys.exit(f"{name}: " + "\n".join(faults))
            checked += len(events)
            synced = [n for n, (what, _) in enumerate(events) if what == "synced"]
            # Our own syncs. fjall syncs its files itself, and its journal when we ask for it; the
            # folder of its keyspaces it syncs before there is anything in it.
            keyspaces = [n for n in synced if events[n][1][0].endswith("/keyspaces")]
            ours = [[n] for n in synced if "/store" not in events[n][1][0]] + [[n] for n in keyspaces[1:]]
            journal = [n for n in synced if events[n][1][0].endswith(".jnl")]
            if any(e[0] == "written" and e[1][0].endswith("/acknowledged") for e in events):
                ours.append(journal)
            for numbers in ours:
                left_out += 1
                path = os.path.relpath(events[numbers[0]][1][0], folder)
                later = any(events[n][1] == events[numbers[0]][1] for n in synced if n > numbers[-1])
                if later and path in COVERED:
                    continue
                if not play(events, folder, at, known, numbers):
                    needless.append(f"{name}: fsync of {path}")
    if needless:
        sys.exit("these syncs can be left out and no rule is broken:\n" + "\n".join(needless))
    print(f"{checked} system calls in order; each of {left_out} syncs is needed")


if __name__ == "__main__":
    main()
