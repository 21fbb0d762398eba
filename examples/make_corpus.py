#!/usr/bin/env python3
"""Writes examples/corpus and examples/corpus.expected.json, byte for byte the same each time.

    python3 examples/make_corpus.py            write both
    python3 examples/make_corpus.py --check    exit with 1 if the files differ from what it writes

Python's standard library only. The documents are composed from corpus_parts.py; copies and
look-alikes are planted among them. The expected result comes from a plain implementation of
exact 5-word resemblance in this file, which shares nothing with Lookalike's code.
"""

import argparse
import csv
import gzip
import io
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

import corpus_parts as parts

WIDTH = 5
THRESHOLD = 0.8
# No pair lies between these: the filter finds a pair at 0.85 with a probability of 0.993, and
# another tokeniser's view of a character can not move a pair across the threshold.
NEAR_AT_LEAST, OTHERS_AT_MOST = 0.85, 0.78

HERE = Path(__file__).resolve().parent


class Corpus:
    """Documents by label, the files they go to, and the relations planted between them."""

    def __init__(self):
        self.texts = {}
        self.files = {"letters": [], "notes.jsonl": [], "pages.jsonl.gz": [], "table.csv": []}
        self.topics = {}
        self.relations = []

    def add(self, file, label, text, topic=""):
        assert label not in self.texts, label
        self.texts[label] = text
        self.topics[label] = topic
        self.files[file].append(label)
        return label

    def relate(self, a, b, kind):
        self.relations.append((a, b, kind))


# --- composing ---


def fill(rng, sentence, slots, more=None):
    """The sentence with its slots filled; {name2} comes from the same list as {name}."""
    chosen = dict(more or {})
    for slot in re.findall(r"{(\w+)}", sentence):
        if slot not in chosen:
            values = slots[slot.rstrip("2")]
            chosen[slot] = rng.choice([value for value in values if value not in chosen.values()])
    text = sentence.format(**chosen)
    return text[0].upper() + text[1:]


def sentences_of(rng, topics, slots, topic, count):
    return [fill(rng, sentence, slots) for sentence in rng.sample(topics[topic], count)]


def paragraphs(rng, sentences, space=" "):
    """The sentences in one or two paragraphs."""
    cut = rng.randrange(2, len(sentences) - 1)
    return space.join(sentences[:cut]) + "\n\n" + space.join(sentences[cut:])


def english(rng, topic, count):
    slots = {**parts.ENGLISH, "letter": list("BDFHKMPRSTW")}
    return sentences_of(rng, parts.ENGLISH_TOPICS, slots, topic, count)


def letter(rng, to, sender, date, body):
    return f"{date}\n\nDear {to},\n\n{body}\n\nWith good wishes\n{sender}\n"


# --- planting ---


def retyped(text, style):
    """The same words in other capitals, spaces and signs."""
    if style == "case":
        return text.upper()
    if style == "spacing":
        return "  ".join(text.split()) + "\n"
    return re.sub(r"[.,;:]", " - ", text).replace("\n\n", " * ")


def with_typo(rng, text):
    """One longer word of the middle misspelt: two of its letters change places."""
    words = [m for m in re.finditer(r"\b[a-z]{7,}\b", text) if m.start() > len(text) // 4]
    word = rng.choice(words)
    at = word.start() + 3
    while text[at] == text[at + 1]:
        at += 1
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def plant_copies(rng, corpus, originals):
    """Exact copies, near copies and shortened ones, of some documents each."""
    originals = list(originals)
    rng.shuffle(originals)
    take = lambda count: [originals.pop() for _ in range(count)]
    target = lambda: rng.choice(["notes.jsonl", "notes.jsonl", "pages.jsonl.gz"])

    def plant(original, change, text, kind):
        label = f"{original}/{change}"
        corpus.add(target(), label, text, corpus.topics[original])
        corpus.relate(original, label, kind)
        return label

    for original in take(6):
        plant(original, "copy", corpus.texts[original], "exact")
    for style in ["case", "spacing", "signs"]:
        for original in take(4):
            plant(original, style, retyped(corpus.texts[original], style), "exact")
    for original in take(8):
        plant(original, "typo", with_typo(rng, corpus.texts[original]), "near")
    for original in take(5):
        added = "\n\nP.S. " + fill(rng, "Do bring {name} along next time.", parts.ENGLISH)
        plant(original, "added", corpus.texts[original] + added, "near")
    for original in take(6):
        text = corpus.texts[original]
        plant(original, "shortened", text[: text.index(". ", len(text) // 2) + 1], "under")
    # A near copy of a document, and an exact copy of the near copy.
    for original in take(2):
        near = plant(original, "typo", with_typo(rng, corpus.texts[original]), "near")
        plant(near, "copy", retyped(corpus.texts[near], "signs"), "exact")


def plant_chains(rng, corpus):
    """a ~ b ~ c, each with one sentence replaced, where a and c are no longer near-duplicates."""
    topics = [("garden", "river"), ("library", "council"), ("workshop", "kitchen")]
    for number, (first, second) in enumerate(topics):
        chain = [""]
        while not is_chain(chain):
            sentences = english(rng, first, 9) + english(rng, second, 9)
            chain = [" ".join(sentences)]
            for at, topic in [(4, first), (13, second)]:
                sentences[at] = english(rng, topic, 1)[0]
                chain.append(" ".join(sentences))
        a, b, c = (corpus.add("notes.jsonl", f"chain{number}/{step}", text, first)
                   for step, text in zip("abc", chain))
        corpus.relate(a, b, "near")
        corpus.relate(b, c, "near")
        corpus.relate(a, c, "under")


def is_chain(texts):
    sets = [shingle_set(tokens(text)) for text in texts]
    return (len(sets) == 3
            and min(resemblance(sets[0], sets[1]), resemblance(sets[1], sets[2])) >= NEAR_AT_LEAST
            and resemblance(sets[0], sets[2]) <= OTHERS_AT_MOST)


def plant_letters(rng, corpus):
    """Letters, two of them sent again with another date, one to another person."""
    names = parts.ENGLISH["name"]
    for number in range(20):
        to, sender = rng.sample(names, 2)
        day, month = rng.randrange(1, 29), rng.choice(parts.ENGLISH["month"])
        topic = rng.choice(sorted(parts.ENGLISH_TOPICS))
        body = paragraphs(rng, english(rng, topic, rng.randrange(8, 12)))
        text = letter(rng, to, sender, f"{day} {month} 2024", body)
        label = corpus.add("letters", f"letter{number}", text, topic)
        if number in (3, 11):
            again = letter(rng, to, sender, f"{day + 2} {month} 2024", body)
            corpus.relate(label, corpus.add("letters", f"{label}/dated", again), "near")
        if number == 7:
            other = next(name for name in names if name not in (to, sender))
            again = letter(rng, other, sender, f"{day} {month} 2024", body)
            corpus.relate(label, corpus.add("letters", f"{label}/other", again), "near")


def plant_notices(rng, corpus):
    """Forty weather notices in one frame."""
    slots = {**parts.ENGLISH, **parts.NOTICE_SLOTS}
    sets, number = [], 0
    while number < 40:
        start = rng.randrange(1, 12)
        more = {"serial": str(rng.randrange(1000, 9999)), "start": str(start),
                "end": str(start + rng.randrange(3, 12)), "wind": str(rng.randrange(40, 140)),
                "rain": str(rng.randrange(5, 95)), "next": str(rng.randrange(1, 24)),
                "date": f"{rng.randrange(1, 29)} {rng.choice(parts.ENGLISH['month'])}"}
        text = fill(rng, parts.NOTICE, slots, more)
        shingles = shingle_set(tokens(text))
        if any(resemblance(shingles, other) > OTHERS_AT_MOST for other in sets):
            continue
        sets.append(shingles)
        corpus.add("pages.jsonl.gz", f"notice{number}", text, "notice")
        number += 1
    corpus.relate("notice0", "notice1", "under")


def plant_other_languages(rng, corpus):
    for topics, slots, language, space in [
        (parts.GERMAN_TOPICS, parts.GERMAN, "de", " "),
        (parts.RUSSIAN_TOPICS, parts.RUSSIAN, "ru", " "),
        (parts.JAPANESE_TOPICS, parts.JAPANESE, "ja", ""),
    ]:
        for number in range(18):
            topic = sorted(topics)[number % len(topics)]
            sentences = sentences_of(rng, topics, slots, topic, rng.randrange(7, 10))
            file = "pages.jsonl.gz" if number % 3 else "notes.jsonl"
            text = paragraphs(rng, sentences, space)
            label = corpus.add(file, f"{language}{number}", text, topic)
            if number == 2:
                copy = retyped(text, "case" if space else "spacing")
                copy = copy if space else text.replace("。", "。\n")
                corpus.relate(label, corpus.add(file, f"{label}/retyped", copy, topic), "exact")
            if number in (5, 9):
                # An announcement put before it: the rest is the same.
                first = {"de": "Neu: ", "ru": "Важно: ", "ja": "再掲。"}[language] + text
                corpus.relate(label, corpus.add(file, f"{label}/marked", first, topic), "near")
            if number == 12:
                half = space.join(sentences[: len(sentences) // 2 + 1])
                corpus.relate(label, corpus.add(file, f"{label}/half", half, topic), "under")


def plant_goods(rng, corpus):
    slots = {**parts.ENGLISH}
    for number, good in enumerate(parts.GOODS):
        chosen = rng.sample(parts.GOODS_SENTENCES, 6)
        text = " ".join(fill(rng, s, slots, {"good": good.lower()}) for s in chosen)
        label = corpus.add("table.csv", f"good{number}", text, good)
        if number == 4:
            copy = text.replace(". ", ".\n")
            corpus.relate(label, corpus.add("table.csv", f"{label}/copy", copy, good), "exact")
        if number == 9:
            near = "New! " + text
            corpus.relate(label, corpus.add("table.csv", f"{label}/new", near, good), "near")


def compose():
    rng = random.Random(1997)
    corpus = Corpus()
    for topic in sorted(parts.ENGLISH_TOPICS):
        for number in range(14):
            file = "notes.jsonl" if number % 4 else "pages.jsonl.gz"
            text = paragraphs(rng, english(rng, topic, rng.randrange(8, 12)))
            corpus.add(file, f"{topic}{number}", text, topic)
    originals = list(corpus.texts)
    plant_letters(rng, corpus)
    plant_copies(rng, corpus, originals + ["letter1", "letter2", "letter4", "letter5"])
    plant_chains(rng, corpus)
    plant_notices(rng, corpus)
    plant_other_languages(rng, corpus)
    plant_goods(rng, corpus)
    for number, text in enumerate(parts.SHORT):
        corpus.add("notes.jsonl", f"short{number}", text, "short")
    corpus.relate("short0", corpus.add("notes.jsonl", "short0/copy", "BACK AT NOON", "short"),
                  "exact")
    corpus.add("notes.jsonl", "empty0", "", "empty")
    corpus.add("notes.jsonl", "empty1", " \n", "empty")
    for file in ["letters", "notes.jsonl", "pages.jsonl.gz", "table.csv"]:
        rng.shuffle(corpus.files[file])
    # Chains are about the order: a, then b, then c.
    notes = corpus.files["notes.jsonl"]
    for number in range(3):
        labels = [f"chain{number}/{step}" for step in "abc"]
        for place, label in zip(sorted(notes.index(label) for label in labels), labels):
            notes[place] = label
    return rng, corpus


# --- writing ---


def records_of(rng, corpus, file):
    """The records of a file that has fields."""
    for number, label in enumerate(corpus.files[file], 1):
        text, topic = corpus.texts[label], corpus.topics[label]
        date = f"20{rng.randrange(19, 25)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        if file == "notes.jsonl":
            yield label, {"id": f"note-{number:03}", "text": text, "source": topic, "date": date}
        elif file == "pages.jsonl.gz":
            host = ["www.saltmarsh.example", "news.eldervalley.example"][number % 2]
            url = f"https://{host}/{topic}/{number}.html"
            yield label, {"url": url, "id": f"page-{number:03}", "crawled": date, "text": text}
        else:
            price = f"{rng.randrange(2, 90)}.{rng.choice(['00', '50', '90'])}"
            yield label, {"title": topic, "price": price, "text": text}


def file_bytes(rng, corpus):
    """Every file's content by its name, and the place and own id of each label."""
    contents, places, ids = {}, {}, {}
    for number, label in enumerate(corpus.files["letters"], 1):
        name = f"letters/{number:02}.txt"
        contents[name] = corpus.texts[label].encode()
        places[label] = name
    for file in ["notes.jsonl", "pages.jsonl.gz", "table.csv"]:
        records = list(records_of(rng, corpus, file))
        for number, (label, record) in enumerate(records, 1):
            places[label] = f"{file}#{number}"
        if file == "notes.jsonl":
            # Two documents that resemble nothing and each other least of all, under one id.
            lone = [record for label, record in records if label in ("short1", "short3")]
            lone[1]["id"] = lone[0]["id"]
        ids.update((places[label], record["id"]) for label, record in records if "id" in record)
        if file == "table.csv":
            out = io.StringIO(newline="")
            table = csv.DictWriter(out, ["title", "price", "text"], lineterminator="\n")
            table.writeheader()
            table.writerows(record for _, record in records)
            contents[file] = out.getvalue().encode()
        else:
            lines = (json.dumps(record, ensure_ascii=False) + "\n" for _, record in records)
            contents[file] = "".join(lines).encode()
    contents["pages.jsonl.gz"] = packed(contents["pages.jsonl.gz"])
    return contents, places, ids


def packed(content):
    """Gzip without name and time. GzipFile, because gzip.compress writes another header in some
    versions of Python."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(content)
    return out.getvalue()


# --- the expected result ---

# Han and kana, which have no spaces between words: a character is a token.
SOLO = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
TOKEN = re.compile(rf"[{SOLO}]|[^\W{SOLO}]+")


def tokens(text):
    return tuple(TOKEN.findall(text.casefold()))


def shingle_set(words):
    if not words:
        return frozenset()
    last = max(len(words) - WIDTH + 1, 1)
    return frozenset(words[at : at + WIDTH] for at in range(last))


def resemblance(a, b):
    return len(a & b) / len(a | b) if a and b else 0.0


def all_pairs(documents):
    """(i, j, resemblance) of all pairs i < j that share a shingle."""
    sets = [shingle_set(words) for words in documents]
    holders, shared = {}, Counter()
    for j, shingles in enumerate(sets):
        for shingle in shingles:
            for i in holders.setdefault(shingle, []):
                shared[i, j] += 1
            holders[shingle].append(j)
    return [(i, j, resemblance(sets[i], sets[j])) for i, j in sorted(shared)]


def decide(documents, near):
    """(document, keeper, kind, resemblance): in the order of the input a document goes if it
    resembles one that stays; the most similar of those stands for it, of equals the first."""
    neighbours = {}
    for i, j, value in near:
        neighbours.setdefault(j, []).append((-value, i))
    gone, removals = set(), []
    for j in range(len(documents)):
        staying = sorted(n for n in neighbours.get(j, []) if n[1] not in gone)
        if staying:
            value, i = staying[0]
            gone.add(j)
            kind = "exact" if documents[i] == documents[j] else "near"
            removals.append((j, i, kind, -value))
    return removals


def expected(corpus, places, ids):
    # The order in which a folder is walked: letters, notes, pages, table.
    labels = [label for file in corpus.files.values() for label in file]
    documents = [tokens(corpus.texts[label]) for label in labels]
    pairs = all_pairs(documents)
    between = [(labels[i], labels[j], value) for i, j, value in pairs
               if OTHERS_AT_MOST < value < NEAR_AT_LEAST]
    assert not between, between
    near = [pair for pair in pairs if pair[2] >= THRESHOLD]
    place = [places[label] for label in labels]
    at = {label: index for index, label in enumerate(labels)}
    kind_of = lambda i, j: "exact" if documents[i] == documents[j] else "near"
    relations = [(i, j, kind_of(i, j), value) for i, j, value in near]
    known = {(i, j): value for i, j, value in pairs}
    for a, b, kind in corpus.relations:
        i, j = sorted((at[a], at[b]))
        value = known.get((i, j), 0.0)
        assert kind == ("under" if value < THRESHOLD else kind_of(i, j)), (a, b, kind, value)
        if kind == "under":
            assert value > 0.3, (a, b, value)
            relations.append((i, j, kind, value))
    removals = decide(documents, near)
    result = {
        "width": WIDTH,
        "threshold": THRESHOLD,
        "documents": len(labels),
        "empty": [place[i] for i, words in enumerate(documents) if not words],
        "removed": [{"document": place[j], "keeper": place[i], "kind": kind,
                     "resemblance": round(value, 6)} for j, i, kind, value in removals],
        "relations": [{"a": place[i], "b": place[j], "kind": kind, "resemblance": round(value, 6)}
                      for i, j, kind, value in sorted(relations)],
        "ids": ids,
    }
    return dump(result).encode()


def dump(result):
    """JSON with an entry of a list or table on each line, so that changes can be read."""
    lines = []
    for key, value in result.items():
        if isinstance(value, list):
            inner = ",\n".join("  " + json.dumps(entry) for entry in value)
            lines.append(f"{json.dumps(key)}: [\n{inner}\n]")
        elif isinstance(value, dict):
            inner = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    arguments = parser.parse_args()
    rng, corpus = compose()
    contents, places, ids = file_bytes(rng, corpus)
    files = {HERE / "corpus" / name: content for name, content in contents.items()}
    files[HERE / "corpus.expected.json"] = expected(corpus, places, ids)
    if arguments.check:
        there = {path for path in (HERE / "corpus").rglob("*") if path.is_file()}
        there.add(HERE / "corpus.expected.json")
        wrong = sorted(str(path.relative_to(HERE)) for path in there | set(files)
                       if not path.is_file() or path.read_bytes() != files.get(path))
        print(f"{len(files)} files, {len(wrong)} differ", *wrong, sep="\n  ")
        sys.exit(1 if wrong else 0)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(f"{len(corpus.texts)} documents in {len(files) - 1} files")


if __name__ == "__main__":
    main()
