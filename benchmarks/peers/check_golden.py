#!/usr/bin/env python3
"""Recomputes golden vectors from the definition: tokens, shingles, features, exact fingerprints.

    check_golden.py tests/fixtures/golden/v1.json

Shares no code with Lookalike. Tokens are those of check_run.py; a fingerprint is the remainder of a
polynomial over GF(2), by division as one learns it at school. Exit code 1 if anything is otherwise.
"""

import json
import sys

from check_run import tokens

# x^64 and the tails of tokens and of features: the first irreducible polynomials from the digits of pi and
# of e on.
TOKENS = (1 << 64) | 0x243F6A8885A30907
FEATURES = (1 << 64) | 0xB7E151628AED2A9F
# The recipe of the vectors: shingles of 8 tokens, and 6 features of 14 minvalues.
WIDTH, GROUPS = 8, 6


def remainder(bits, polynomial):
    """What is left of a polynomial, whose coefficients are the bits of a number."""
    while bits >> 64:
        bits ^= polynomial << (bits.bit_length() - 65)
    return bits


def fingerprint(data, polynomial=TOKENS):
    """Of bytes, with a one bit before them, so that strings of different lengths differ."""
    return remainder(int.from_bytes(b"\x01" + data, "big"), polynomial)


def of_words(words, polynomial=TOKENS):
    return fingerprint(b"".join(word.to_bytes(8, "big") for word in words), polynomial)


def recomputed(document):
    """What a document of the file should have, but for what is drawn at random."""
    found = [fingerprint(word.encode()) for word in tokens(document["text"])]
    windows = range(max(len(found) - WIDTH + 1, 1)) if found else ()
    shingles = sorted({of_words(found[at : at + WIDTH]) for at in windows})
    # Of the minima, which random permutations chose, each feature is made of its share.
    minima = [int(value, 16) for value in document["sketch"]]
    size = len(minima) // GROUPS
    features = [of_words([group, *minima[group * size : (group + 1) * size]], FEATURES)
                for group in range(GROUPS)]
    exact = of_words(found, TOKENS) << 64 | of_words(found, FEATURES)
    hexadecimal = lambda values: [f"{value:016x}" for value in values]
    return {"tokens": hexadecimal(found), "shingles": hexadecimal(shingles),
            "features": hexadecimal(features), "exact": f"{exact:032x}"}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        documents = json.load(file)["documents"]
    wrong = 0
    for name, document in documents.items():
        for what, values in recomputed(document).items():
            if values != document[what]:
                wrong += 1
                print(f"  {name}: {what} are {document[what]}, computed {values}")
    print(f"{len(documents)} golden documents: {wrong} differences")
    sys.exit(1 if wrong or not documents else 0)


if __name__ == "__main__":
    main()
