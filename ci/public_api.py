"""The public surface of the crate `lookalike`, one line for each item, from rustdoc's JSON.

    python3 ci/public_api.py FOLDER FILE

FOLDER has the JSON of our crates, FILE the surface as it was agreed on. Fails if they differ, or if an
exported signature names a type of ours that cannot be named through the facade. With BLESS=1 the file is
written instead.
"""

import json
import os
import sys
from difflib import unified_diff
from pathlib import Path

FACADE = "lookalike"
OURS = "lookalike"  # and all that begin with it
# The form of the JSON that this reads; it changes with compilers. What is listed does not.
KNOWN_FORMATS = range(54, 60)


class Crate:
    """What rustdoc says of one crate."""

    def __init__(self, name, folder):
        self.name = name
        found = json.loads((folder / f"{name}.json").read_text())
        version = found["format_version"]
        if version not in KNOWN_FORMATS:
            sys.exit(f"public_api: rustdoc's JSON has format {version}; look whether KNOWN_FORMATS may have it too")
        self.root = str(found["root"])
        self.index = found["index"]
        self.paths = found["paths"]
        self.by_path = {
            (entry["kind"], tuple(entry["path"])): number
            for number, entry in self.paths.items()
            if entry["crate_id"] == 0
        }


class Surface:
    """All that can be named through the facade."""

    def __init__(self, folder):
        self.folder = folder
        self.crates = {}
        self.names = {}  # (crate, number) -> its first name in the facade
        self.items = 0
        self.members = 0
        self.lines = []
        self.unnamed = set()
        facade = self.crate(FACADE)
        self.found = []  # (path, crate, item), in the order of the walk
        self.walk(facade, facade.index[facade.root], FACADE)
        # The shortest name is the one to be called by.
        for path, crate, item in sorted(self.found, key=lambda found: (found[0].count("::"), found[0])):
            self.names.setdefault((crate.name, str(item["id"])), path)
        for path, crate, item in self.found:
            self.describe(path, crate, item)

    def crate(self, name):
        if name not in self.crates:
            self.crates[name] = Crate(name, self.folder)
        return self.crates[name]

    def resolve(self, crate, number):
        """The crate and the item that a number stands for; no item if it is not ours."""
        number = str(number)
        if number in crate.index:
            return crate, crate.index[number]
        entry = crate.paths.get(number)
        if entry is None or not entry["path"][0].startswith(OURS):
            return crate, None
        home = self.crate(entry["path"][0])
        key = (entry["kind"], tuple(entry["path"]))
        if key not in home.by_path:
            return home, None
        return home, home.index.get(home.by_path[key])

    def walk(self, crate, module, path):
        for number in module["inner"]["module"]["items"]:
            item = crate.index[str(number)]
            if item["visibility"] != "public":
                continue
            if "use" in item["inner"]:
                use = item["inner"]["use"]
                home, target = self.resolve(crate, use["id"])
                if target is None:
                    self.items += 1
                    self.lines.append(f"use {path}::{use['name']} = {use['source']}")
                elif use["is_glob"]:
                    self.walk(home, target, path)
                else:
                    self.enter(home, target, f"{path}::{use['name']}")
            else:
                self.enter(crate, item, f"{path}::{item['name']}")

    def enter(self, crate, item, path):
        self.found.append((path, crate, item))
        if "module" in item["inner"]:
            self.walk(crate, item, path)

    # --- an item ---

    def describe(self, path, crate, item):
        self.items += 1
        kind, inner = next(iter(item["inner"].items()))
        name = self.names[crate.name, str(item["id"])]
        if name != path:
            self.lines.append(f"use {path} = {name}")
            return
        marks = "#[non_exhaustive] " if "non_exhaustive" in json.dumps(item["attrs"]) else ""
        at = Types(self, crate)
        if kind == "module":
            self.lines.append(f"mod {path}")
        elif kind in ("struct", "enum", "union"):
            self.lines.append(f"{marks}{kind} {path}{at.generics(inner['generics'])}")
            self.parts(path, crate, at, kind, inner)
            self.impls(path, crate, inner["impls"])
        elif kind == "trait":
            self.lines.append(f"trait {path}{at.generics(inner['generics'])}{at.bounds(inner['bounds'], ': ')}")
            for number in inner["items"]:
                self.member(path, at, crate.index[str(number)])
        elif kind == "function":
            self.lines.append(at.function(path, inner))
        elif kind == "constant":
            self.lines.append(f"const {path}: {at.type(inner['type'])}")
        elif kind == "type_alias":
            self.lines.append(f"type {path}{at.generics(inner['generics'])} = {at.type(inner['type'])}")
        else:
            self.lines.append(f"{kind} {path}")

    def parts(self, path, crate, at, kind, inner):
        """The public fields of a struct, or the variants of an enum."""
        if kind == "enum":
            for number in inner["variants"]:
                variant = crate.index[str(number)]
                form = variant["inner"]["variant"]["kind"]
                self.members += 1
                self.lines.append(f"variant {path}::{variant['name']}{self.form(crate, at, form)}")
            return
        form = inner["kind"]
        if isinstance(form, dict) and "plain" in form:
            for number in form["plain"]["fields"]:
                field = crate.index[str(number)]
                self.members += 1
                self.lines.append(f"field {path}::{field['name']}: {at.type(field['inner']['struct_field'])}")
        elif isinstance(form, dict) and "tuple" in form:
            for place, number in enumerate(form["tuple"]):
                if number is not None:
                    self.members += 1
                    field = crate.index[str(number)]["inner"]["struct_field"]
                    self.lines.append(f"field {path}::{place}: {at.type(field)}")

    def form(self, crate, at, form):
        """What a variant carries."""
        if form == "plain":
            return ""
        if "tuple" in form:
            fields = [crate.index[str(number)]["inner"]["struct_field"] for number in form["tuple"]]
            return f"({', '.join(map(at.type, fields))})"
        fields = [crate.index[str(number)] for number in form["struct"]["fields"]]
        return f" {{ {', '.join(f['name'] + ': ' + at.type(f['inner']['struct_field']) for f in fields)} }}"

    def impls(self, path, crate, numbers):
        traits = set()
        for number in numbers:
            item = crate.index[str(number)]
            inner = item["inner"]["impl"]
            if inner["is_synthetic"] or inner["blanket_impl"] is not None:
                continue
            at = Types(self, crate)
            if inner["trait"] is None:
                for number in inner["items"]:
                    self.member(path, at, crate.index[str(number)])
            elif inner["trait"]["path"].split("::")[-1] not in ("StructuralPartialEq", "Freeze"):
                made = at.generics(inner["generics"], hidden_lifetimes=True)
                traits.add(made + at.path(inner["trait"]))
        if traits:
            self.lines.append(f"impl {path}: {', '.join(sorted(traits))}")

    def member(self, path, at, item):
        kind, inner = next(iter(item["inner"].items()))
        name = f"{path}::{item['name']}"
        if kind == "function":
            if item["visibility"] not in ("public", "default"):
                return
            self.lines.append(at.function(name, inner))
        elif kind == "assoc_const":
            self.lines.append(f"const {name}: {at.type(inner['type'])}")
        elif kind == "assoc_type":
            self.lines.append(f"type {name}{at.bounds(inner['bounds'], ': ')}")
        else:
            return
        self.members += 1


class Types:
    """Types as they are written, with the names of the facade."""

    def __init__(self, surface, crate, given=None):
        self.surface = surface
        self.crate = crate
        self.given = given or {}  # what stands for the parameters of an alias

    def function(self, name, inner):
        signature = inner["sig"]
        inputs = []
        for argument, of in signature["inputs"]:
            text = self.type(of)
            if argument == "self":
                receiver = text.replace("Self", "self")
                inputs.append(receiver if receiver in ("self", "&self", "&mut self") else f"self: {text}")
            else:
                inputs.append(f"{argument}: {text}")
        output = signature["output"]
        gives = f" -> {self.type(output)}" if output is not None else ""
        const = "const " if inner["header"]["is_const"] else ""
        return f"{const}fn {name}{self.generics(inner['generics'])}({', '.join(inputs)}){gives}"

    def generics(self, generics, hidden_lifetimes=False):
        parameters = []
        for parameter in generics["params"]:
            kind = parameter["kind"]
            if "lifetime" in kind:
                if not hidden_lifetimes:
                    parameters.append(parameter["name"])
            elif "const" in kind:
                parameters.append(f"const {parameter['name']}: {self.type(kind['const']['type'])}")
            elif not kind["type"]["is_synthetic"]:
                default = kind["type"]["default"]
                of = f" = {self.type(default)}" if default else ""
                parameters.append(parameter["name"] + self.bounds(kind["type"]["bounds"], ": ") + of)
        where = []
        for predicate in generics["where_predicates"]:
            if "bound_predicate" in predicate:
                bound = predicate["bound_predicate"]
                where.append(self.type(bound["type"]) + self.bounds(bound["bounds"], ": "))
        made = f"<{', '.join(parameters)}>" if parameters else ""
        return made + (f" where {', '.join(where)} " if where else "")

    def bounds(self, bounds, before):
        written = []
        for bound in bounds:
            if "trait_bound" in bound:
                maybe = "?" if bound["trait_bound"]["modifier"] == "maybe" else ""
                written.append(maybe + self.path(bound["trait_bound"]["trait"]))
            elif "outlives" in bound:
                written.append(bound["outlives"])
        return before + " + ".join(written) if written else ""

    def path(self, path):
        """A named type or trait, with its arguments."""
        name, arguments = path["path"].split("::")[-1], path.get("args")
        if path.get("id") is not None:
            home, item = self.surface.resolve(self.crate, path["id"])
            entry = self.crate.paths.get(str(path["id"]))
            if item is not None and home.name.startswith(OURS):
                named = self.surface.names.get((home.name, str(item["id"])))
                if named is None and "type_alias" in item["inner"]:
                    return self.alias(home, item["inner"]["type_alias"], arguments)
                if named is None:
                    self.surface.unnamed.add(f"{home.name}::{item['name']}")
                name = named.removeprefix(f"{FACADE}::") if named else f"{home.name}::{item['name']}"
            elif entry is not None and entry["path"][0].startswith(OURS):
                # Not even its own crate lets it be named.
                self.surface.unnamed.add("::".join(entry["path"]))
        return name + self.arguments(arguments)

    def alias(self, home, alias, arguments):
        """What an alias stands for that is not exported itself."""
        given = {}
        written = [self.type(a["type"]) for a in (arguments or {}).get("angle_bracketed", {}).get("args", []) if "type" in a]
        there = Types(self.surface, home)
        for parameter in alias["generics"]["params"]:
            default = parameter["kind"].get("type", {}).get("default")
            given[parameter["name"]] = written.pop(0) if written else there.type(default)
        return Types(self.surface, home, given).type(alias["type"])

    def arguments(self, arguments):
        if not arguments:
            return ""
        if "parenthesized" in arguments:
            inner = arguments["parenthesized"]
            output = f" -> {self.type(inner['output'])}" if inner["output"] else ""
            return f"({', '.join(map(self.type, inner['inputs']))}){output}"
        written = []
        inner = arguments.get("angle_bracketed", {"args": [], "constraints": []})
        for argument in inner["args"]:
            if argument == "infer":
                written.append("_")
            elif "type" in argument:
                written.append(self.type(argument["type"]))
            elif "lifetime" in argument:
                written.append(argument["lifetime"])
            else:
                written.append(argument["const"]["expr"])
        for constraint in inner["constraints"]:
            binding = constraint["binding"]
            if "equality" in binding:
                written.append(f"{constraint['name']} = {self.type(binding['equality']['type'])}")
            else:
                written.append(constraint["name"] + self.bounds(binding["constraint"], ": "))
        return f"<{', '.join(written)}>" if written else ""

    def type(self, of):
        kind, inner = next(iter(of.items()))
        if kind == "resolved_path":
            return self.path(inner)
        if kind == "generic":
            return self.given.get(inner, inner)
        if kind == "primitive":
            return "!" if inner == "never" else inner
        if kind == "tuple":
            only = "," if len(inner) == 1 else ""
            return f"({', '.join(map(self.type, inner))}{only})"
        if kind == "slice":
            return f"[{self.type(inner)}]"
        if kind == "array":
            return f"[{self.type(inner['type'])}; {inner['len']}]"
        if kind == "borrowed_ref":
            lifetime = f"{inner['lifetime']} " if inner["lifetime"] else ""
            mutable = "mut " if inner["is_mutable"] else ""
            return f"&{lifetime}{mutable}{self.type(inner['type'])}"
        if kind == "impl_trait":
            return self.bounds(inner, "impl ")
        if kind == "dyn_trait":
            traits = [self.path(each["trait"]) for each in inner["traits"]]
            return "dyn " + " + ".join(traits + ([inner["lifetime"]] if inner["lifetime"] else []))
        if kind == "qualified_path":
            owner = self.type(inner["self_type"])
            return f"{owner}::{inner['name']}"
        if kind == "function_pointer":
            signature = inner["sig"]
            output = f" -> {self.type(signature['output'])}" if signature["output"] else ""
            return f"fn({', '.join(self.type(each) for _, each in signature['inputs'])}){output}"
        sys.exit(f"public_api: a type of an unknown kind, `{kind}`")


def by_path(line):
    """An item, and then what belongs to it."""
    return line[line.index(f"{FACADE}::") :]


def main():
    folder, agreed = Path(sys.argv[1]), Path(sys.argv[2])
    surface = Surface(folder)
    head = f"# {surface.items} items that can be named, with {surface.members} fields, variants and methods."
    text = "\n".join([head, "# BLESS=1 ci/docs.sh writes this anew.", *sorted(set(surface.lines), key=by_path)]) + "\n"
    print(head.removeprefix("# "))
    failed = False
    if surface.unnamed:
        failed = True
        print("exported signatures name what the facade does not export:", *sorted(surface.unnamed), sep="\n  ")
    if os.environ.get("BLESS"):
        agreed.write_text(text)
    elif (before := agreed.read_text()) != text:
        failed = True
        sys.stdout.writelines(unified_diff(before.splitlines(True), text.splitlines(True), str(agreed), "now", n=0))
        print("the public surface has changed; if that is meant, BLESS=1 ci/docs.sh writes it anew")
    sys.exit(failed)


main()
