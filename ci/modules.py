"""No circle between the files of a crate, and no crate that depends on one above it.

The graph has a node for every file of a crate's `src` and an arrow for every item that one file names in
another, by `use` or by a path. A name that a module only passes on (`pub use`, or an import that a child
takes with `super::`) is an arrow to the file that defines it, so that going through `mod.rs` hides no
circle and makes none. Comments and tests do not count. Crates stand in ARCHITECTURE.md from the lowest up.
"""

import re
import sys
import tomllib
from pathlib import Path

COMMENT, STRING = r"//[^\n]*|/\*.*?\*/", r"""\bb?r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*\""""
NOISE = re.compile(rf"{COMMENT}|{STRING}|b?'(?:\\[^\n]{{1,9}}?|[^'\\\n])'", re.S)
ITEM = r"\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(\w+)"


def item_end(text, start):
    """Where the item that begins at `start` ends: after its block, or its semicolon."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "{([") - (text[at] in "})]")
        if depth == 0 and text[at] in "};":
            return at + 1


def imports(tree):
    """Each path of what stands after `use`, and the name it gets."""
    tree = re.sub(r"\s", "", re.sub(r"\s+as\s+", "=", tree))
    while "{" in tree:
        each = lambda found: ",".join(found[1] + part for part in found[2].rstrip(",").split(","))
        tree = re.sub(r"([\w:]*)\{([^{}]*)\}", each, tree)
    for path in tree.split(","):
        path, _, alias = path.removesuffix("::self").partition("=")
        yield path, alias or path.rpartition("::")[2]


class Module:
    """A file: what it defines, and what it imports or names in its code."""

    def __init__(self, path):
        self.path, self.items, self.imports, self.globs = path, set(), {}, []
        self.tests, self.paths, self.words = set(), set(), set()

    def read(self, text):
        text = NOISE.sub(" ", text)
        while found := re.search(r"#\[cfg\(test\)\]", text):
            end = item_end(text, found.end())
            self.tests |= set(re.findall(r"\bmod (\w+);", text[found.start() : end]))
            text = text[: found.start()] + text[end:]
        # What stands in a module within the file is the file's.
        for found in list(re.finditer(r"\bmod \w+ \{", text)):
            start, end = found.start(), item_end(text, found.start())
            text = text[:start] + text[start:end].replace("super::", " self::") + text[end:]
        self.items |= set(re.findall(ITEM, text))
        for public, tree in re.findall(r"(?<![\w:])(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", text):
            for path, alias in imports(tree):
                # What is passed on counts if the code has its name; a trait is used without it.
                self.paths |= {alias if public else path} - {"*"}
                self.imports[alias] = path
                self.globs += [path.removesuffix("::*")] if alias == "*" else []
        code = re.sub(r"(?<![\w:])use\s+[^;]+;|\bmod \w+;", " ", text)
        self.words |= set(re.findall(r"\w+", code))
        self.paths |= set(re.findall(r"(?<![\w:.])\w+(?:::\w+)+", code))
        self.paths -= set(self.imports) - self.words


def modules_of(source):
    """The modules of a crate by their names; those of tests are not among them."""
    modules, other_names, tests = {}, {}, set()
    for path in sorted(source.rglob("*.rs"), key=lambda path: (len(path.parts), path.name != "lib.rs", path)):
        name = path.relative_to(source).with_suffix("").parts
        name = other_names.get(name, name[:-1] if name[-1] in ("mod", "lib", "main") else name)
        if not any(name[:length] in tests for length in range(1, len(name) + 1)):
            modules.setdefault(name, Module(path)).read(text := path.read_text())
            for file, child in re.findall(r'path = "(\w+)\.rs"\)?\]\s*mod (\w+);', text):
                other_names[(*name, file)] = (*name, child)
            tests |= {(*name, test) for test in modules[name].tests}
    return modules


def resolve(modules, here, path, seen=()):
    """The module that defines what `path` names in `here`, or None, and whether it is the module itself."""
    for position, part in enumerate(path.split("::")):
        module = modules[here]
        if part in ("crate", "self", "super"):
            here = {"crate": (), "self": here, "super": here[:-1]}[part]
        elif here + (part,) in modules and not (position == 0 and part in module.imports):
            here += (part,)
        elif part in module.items or (here, part) in seen:
            return (here, False) if part in module.items else (None, False)
        else:
            others = [module.imports[part]] if part in module.imports else [it + "::" + part for it in module.globs]
            found = [resolve(modules, here, other, (*seen, (here, part))) for other in others]
            here, is_module = next((each for each in found if each[0] is not None), (None, False))
            if not is_module:
                return here, False
    return here, True


def check_files(crate):
    modules = modules_of(crate / "src")
    arrows = {name: {} for name in modules}
    for name, module in modules.items():
        for path in sorted(module.paths | (module.words if module.globs else set())):
            target, is_module = resolve(modules, name, path)
            if target is not None and not is_module and target != name:
                arrows[name].setdefault(target, module.imports.get(path, path))
    count = sum(map(len, arrows.values()))
    reach = {name: set(found) for name, found in arrows.items()}
    for middle in modules:
        for name in modules:
            reach[name] |= reach[middle] if middle in reach[name] else set()
    circles = {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in modules if a in reach[a]}
    print(f"{crate}: {len(modules)} files, {count} arrows, {'circles:' if circles else 'no circle'}")
    for a, b in [(a, b) for circle in circles for a in circle for b in circle if b in arrows[a]]:
        print(f"  {modules[a].path} -> {modules[b].path}: {arrows[a][b]}")
    return not circles


def check_crates():
    folders = re.findall(r"^\| `([\w/-]+)` \|", Path("ARCHITECTURE.md").read_text(), re.M)
    found = [path for folder in folders for path in Path(folder).glob("Cargo.toml")]
    manifests = [tomllib.loads(path.read_text()) for path in found]
    order = [manifest["package"]["name"] for manifest in manifests]
    above = [set(manifest.get("dependencies", ())) & set(order[at:]) for at, manifest in enumerate(manifests)]
    for name, others in zip(order, above):
        print(*(f"{name} depends on {other}, which ARCHITECTURE.md has above it\n" for other in others), end="")
    return not any(above)


crates = [source.parent for source in sorted(Path("crates").glob("*/src"))]
sys.exit(not all([*map(check_files, [*crates, Path("python")]), check_crates()]))
