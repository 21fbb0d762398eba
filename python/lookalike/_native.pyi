# Made from python/src by ci/stubs.sh; change it there.
"""
The native part of `lookalike`.
"""

import collections.abc
import os
import pyarrow
import typing
from numpy import uint64
from numpy.typing import NDArray
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, final

GROUP_LIMIT: Final[int]
"""
Documents of one group that a document is compared with at most.
"""

VERSION: Final[str]
"""
The version of the package.
"""

@final
class Added:
    """
    What an addition did.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    @property
    def number(self, /) -> int:
        """
        The document's number.
        """
    @property
    def replaced(self, /) -> bool:
        """
        Whether it stands in the place of one with the same id.
        """

@final
class Answer:
    """
    What a check found.
    """
    def __repr__(self, /) -> str: ...
    @property
    def is_new(self, /) -> bool:
        """
        Whether nothing like it is known.
        """
    @property
    def keeper(self, /) -> Match | None:
        """
        The match that was added first: the one that stands for the document.
        """
    @property
    def limited(self, /) -> bool:
        """
        Whether more documents share a key than are looked at, so that there may be more matches.
        """
    @property
    def matches(self, /) -> list[Match]:
        """
        The look-alikes, the best first.
        """

@final
class CheckedAndAdded:
    """
    What a check found, and what was added.
    """
    @property
    def added(self, /) -> Added | None:
        """
        `None` if it was not added.
        """
    @property
    def answer(self, /) -> Answer:
        """
        What was there before.
        """
    @property
    def counted(self, /) -> bool:
        """
        Whether it is one more for its keeper: not if it was added, nor if its id counts already.
        """

@final
class Comparison:
    """
    Everything that can be said of two documents. In a notebook it shows what differs.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str:
        """
        The numbers, and what differs, marked.
        """
    @property
    def b_similarity(self, /) -> int | None:
        """
        Equal features, if the recipe has any.
        """
    @property
    def c_similarity(self, /) -> int | None:
        """
        Equal bits of the projections, if the recipe has one.
        """
    @property
    def containment_a(self, /) -> float:
        """
        The share of a that is in b.
        """
    @property
    def containment_b(self, /) -> float:
        """
        The share of b that is in a.
        """
    @property
    def difference(self, /) -> float | None:
        """
        The share of the tokens of both that differ, if the recipe judges by it; None also where it would take
        too long to find out.
        """
    @property
    def edit_distance(self, /) -> tuple[int, int]:
        """
        The fewest edits that turn a into b, or two bounds of them: at least and at most. An edit
        removes or adds any number of occurrences of one word.
        """
    @property
    def estimate(self, /) -> float | None:
        """
        The resemblance estimated from sketches, if the recipe's can.
        """
    @property
    def repeats_in_common(self, /) -> int | None:
        """
        Repeats of the lists that share a list, if the recipe has lists.
        """
    @property
    def resemblance(self, /) -> float:
        """
        Shingles of both, out of those of either.
        """
    @property
    def same_tokens(self, /) -> bool:
        """
        Whether the token sequences are the same.
        """
    @property
    def shingles_a(self, /) -> int:
        """
        Shingles of a.
        """
    @property
    def shingles_b(self, /) -> int:
        """
        Shingles of b.
        """
    @property
    def term_difference(self, /) -> int:
        """
        Tokens in the difference of the two sequences.
        """
    @property
    def tokens_a(self, /) -> int:
        """
        Tokens of a.
        """
    @property
    def tokens_b(self, /) -> int:
        """
        Tokens of b.
        """

@final
class Cut:
    """
    A piece of a document that was cut, and where the same words stay.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def begin(self, /) -> int:
        """
        Its first byte in the text.
        """
    @property
    def copies(self, /) -> int:
        """
        How often they stand in the corpus.
        """
    @property
    def document(self, /) -> RunDocument:
        """
        The document that it was cut of.
        """
    @property
    def end(self, /) -> int:
        """
        Where it ends.
        """
    @property
    def keeper(self, /) -> RunDocument:
        """
        The document in which they stay.
        """
    @property
    def keeper_begin(self, /) -> int:
        """
        Their first byte there.
        """
    @property
    def keeper_end(self, /) -> int:
        """
        Where they end.
        """
    @property
    def words(self, /) -> int:
        """
        Its words.
        """

@final
class Explanation:
    """
    What became of a document.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    def compare(self, /) -> Comparison:
        """
        The document and its keeper side by side, both read from the inputs again. Where templates
        were learned, they count here as well.
        """
    @property
    def cuts(self, /) -> list[Cut]:
        """
        What was cut of it, the first 1000 pieces.
        """
    @property
    def document(self, /) -> RunDocument:
        """
        The document.
        """
    @property
    def empty(self, /) -> bool:
        """
        Whether it has no tokens, and so resembles nothing.
        """
    @property
    def fate(self, /) -> Literal["alone", "kept", "beside", "removed", "gone"]:
        """
        Whether it has no look-alike (alone), stands for others (kept), stays beside the one that stands
        for it (beside), went for another one (removed), or went because too little was left of it when
        passages were cut (gone).
        """
    @property
    def first(self, /) -> list[Member]:
        """
        The first of them in the input, at most 20.
        """
    @property
    def kept_pieces(self, /) -> list[Cut]:
        """
        What was cut elsewhere because it has the same words, the first 1000 pieces.
        """
    @property
    def removal(self, /) -> Removal | None:
        """
        Why it went, if it did, or which document it stays beside.
        """
    @property
    def stands_for(self, /) -> int:
        """
        How many others it stands for.
        """
    @property
    def words_cut(self, /) -> int:
        """
        How many of its words were cut.
        """

@final
class Filter:
    """
    A filter [k, s, r]: k features of s minvalues, of which a candidate has r in common. Elsewhere:
    k bands of s rows, with r = 1.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def bytes_per_document(self, /) -> int:
        """
        Bytes of features of a document.
        """
    @property
    def curve(self, /) -> list[tuple[float, float]]:
        """
        Resemblances from 0 to 1, and the probability at each that a pair becomes a candidate.
        """
    @property
    def filter_steepest_at(self, /) -> float:
        """
        Where the filter itself is the steepest.
        """
    @property
    def half_point(self, /) -> float:
        """
        The resemblance of which half of the pairs become candidates.
        """
    @property
    def k(self, /) -> int:
        """
        Features of a document.
        """
    def measured_on(self, /, inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]") -> Filter:
        """
        The same filter, with what it does on the documents of these inputs.
        """
    @property
    def permutations(self, /) -> int:
        """
        What signing a document costs.
        """
    def probability(self, /, resemblance: float) -> float:
        """
        The probability that two documents of this resemblance become a candidate.
        """
    @property
    def r(self, /) -> int:
        """
        Features that a candidate has in common.
        """
    @property
    def recall(self, /) -> float | None:
        """
        The share of pairs at exactly the threshold that become candidates, if there is one.
        """
    @property
    def s(self, /) -> int:
        """
        Minvalues in a feature.
        """
    @property
    def sample(self, /) -> FilterMeasurement | None:
        """
        What it does on the documents of a sample, if there was one.
        """
    @property
    def steepest_at(self, /) -> float:
        """
        Where x^s is the steepest of all powers of the resemblance x.
        """
    @property
    def super_features(self, /) -> int:
        """
        Records of a document when matching.
        """
    @property
    def threshold(self, /) -> float | None:
        """
        The resemblance that it was chosen for, if it was.
        """

@final
class FilterBin:
    """
    Pairs of resemblances in a range.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def candidates(self, /) -> float | None:
        """
        The share of them that became candidates; None if there are none.
        """
    @property
    def end(self, /) -> float:
        """
        Up to here; 1 is in the last.
        """
    @property
    def high(self, /) -> float | None:
        """
        The upper end.
        """
    @property
    def low(self, /) -> float | None:
        """
        Its 95 % interval.
        """
    @property
    def pairs(self, /) -> int:
        """
        How many pairs.
        """
    @property
    def predicted(self, /) -> float | None:
        """
        The share that the filter's polynomial gives.
        """
    @property
    def start(self, /) -> float:
        """
        The least resemblance.
        """

@final
class FilterMeasurement:
    """
    What a filter does on documents, every pair of which was compared exactly.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def bins(self, /) -> list[FilterBin]:
        """
        Pairs by their resemblance.
        """
    @property
    def cut(self, /) -> bool:
        """
        Whether there were more documents than the limit.
        """
    @property
    def documents(self, /) -> int:
        """
        Documents that were compared.
        """
    @property
    def empty(self, /) -> int:
        """
        Those of them without words.
        """
    @property
    def interval_over(self, /) -> str:
        """
        What intervals are over: seeds, or pairs under one seed, which makes them too narrow.
        """
    @property
    def pairs(self, /) -> int:
        """
        Pairs at or above it.
        """
    @property
    def predicted_recall(self, /) -> float | None:
        """
        The share that the filter's polynomial gives.
        """
    @property
    def recall(self, /) -> float | None:
        """
        The share of them that became candidates, the mean over seeds; None if there are none.
        """
    @property
    def recall_by_seed(self, /) -> list[float]:
        """
        The share under each.
        """
    @property
    def recall_high(self, /) -> float | None:
        """
        The upper end.
        """
    @property
    def recall_low(self, /) -> float | None:
        """
        Its 95 % interval.
        """
    @property
    def seeds(self, /) -> list[int]:
        """
        The seeds.
        """
    @property
    def skipped(self, /) -> int:
        """
        Records and files that could not be read.
        """
    @property
    def threshold(self, /) -> float:
        """
        The least resemblance of the pairs that are wanted.
        """

@final
class Finding:
    """
    A document that resembles or contains a reference.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def common(self, /) -> int:
        """
        Shingles in common.
        """
    @property
    def containment_input(self, /) -> float:
        """
        The share of the document that is in the reference.
        """
    @property
    def containment_reference(self, /) -> float:
        """
        The share of the reference that is in the document.
        """
    @property
    def input(self, /) -> str:
        """
        The id of the document.
        """
    @property
    def input_row(self, /) -> int:
        """
        The number of the document among all that could be read, from 0.
        """
    @property
    def passage(self, /) -> Passage | None:
        """
        The longest run of words that both have, if `ngram` was given; with `passages`, one of their runs.
        """
    @property
    def reference(self, /) -> str:
        """
        The id of the reference.
        """
    @property
    def reference_row(self, /) -> int:
        """
        The number of the reference, likewise.
        """
    @property
    def resemblance(self, /) -> float:
        """
        Shingles of both, out of those of either.
        """
    @property
    def shingles_input(self, /) -> int:
        """
        Shingles of the document.
        """
    @property
    def shingles_reference(self, /) -> int:
        """
        Shingles of the reference.
        """

@final
class Findings:
    """
    What a search for references found.
    """
    def __repr__(self, /) -> str: ...
    @property
    def bytes(self, /) -> int:
        """
        Bytes of text of the input.
        """
    @property
    def documents(self, /) -> int:
        """
        Documents of the input that could be read.
        """
    @property
    def documents_found(self, /) -> int:
        """
        Documents that are in a pair.
        """
    @property
    def empty_references(self, /) -> int:
        """
        References without tokens: they match nothing.
        """
    @property
    def found(self, /) -> list[Finding]:
        """
        Each match, in the order of the inputs; none if they went to a file.
        """
    @property
    def left_out(self, /) -> int:
        """
        Runs of words that are not told, since a document has very many.
        """
    @property
    def matches(self, /) -> int:
        """
        Pairs of a document and a reference, or runs of words of these, also those that went to a file.
        """
    @property
    def other_files(self, /) -> int:
        """
        Files in folders that are of an unknown kind.
        """
    @property
    def passes(self, /) -> int:
        """
        How often the inputs were read.
        """
    @property
    def peak_memory_bytes(self, /) -> int:
        """
        The most memory that was used, where the system tells.
        """
    @property
    def reference_bytes(self, /) -> int:
        """
        Bytes of text of the references.
        """
    @property
    def references(self, /) -> int:
        """
        References that could be read.
        """
    @property
    def references_found(self, /) -> int:
        """
        References that are in a pair.
        """
    @property
    def seconds(self, /) -> float:
        """
        How long it took.
        """
    @property
    def short_examples(self, /) -> list[str]:
        """
        The ids of the first of them.
        """
    @property
    def short_references(self, /) -> int:
        """
        References that were not looked for: they have fewer tokens than asked for.
        """
    @property
    def skipped(self, /) -> int:
        """
        Records and files of both sides that were passed over.
        """
    @property
    def slow_references(self, /) -> int:
        """
        References that are mostly boilerplate of other references: slower, nothing missed.
        """

@final
class Index:
    """
    A persistent index of documents. Any number of threads may use it at once.
    """
    def __contains__(self, id: str, /) -> bool: ...
    def __enter__(self, /) -> Index: ...
    def __exit__(self, /, *_exception: "object") -> None: ...
    def __iter__(self, /) -> Records: ...
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def add(self, /, id: str, text: "str | bytes | None" = None, *, html: "str | bytes | None" = None, items: "collections.abc.Iterable[str | bytes | float | None] | None" = None, signature: Signature | None = None, url: str | None = None, time: int | None = None) -> Added:
        """
        Adds a document, in the place of one with the same id. When this returns, it is on disk.
        """
    def add_batch(self, /, documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]") -> list[Added]:
        """
        Adds documents together: all of them or, if it fails, none.
        """
    def check(self, /, text: "str | bytes | None" = None, *, html: "str | bytes | None" = None, items: "collections.abc.Iterable[str | bytes | float | None] | None" = None, signature: Signature | None = None, url: str | None = None, threshold: float | None = None) -> Answer:
        """
        Looks for known documents that this one is a look-alike of. Under a `threshold` below the
        index's own it finds fewer of them the lower it is, as `recall` says.
        """
    def check_and_add(self, /, id: str, text: "str | bytes | None" = None, *, html: "str | bytes | None" = None, items: "collections.abc.Iterable[str | bytes | float | None] | None" = None, signature: Signature | None = None, url: str | None = None, time: int | None = None, add_if: "typing.Literal['new', 'any']" = "new") -> CheckedAndAdded:
        """
        Checks and, if there is no match (`new`) or in any case (`any`), adds, with nothing in
        between.
        """
    def check_and_add_batch(self, /, documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]", *, add_if: "typing.Literal['new', 'any']" = "new") -> list[CheckedAndAdded]:
        """
        Checks and adds documents one after another, so that each may match those before it.
        """
    def check_batch(self, /, documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]", *, threshold: float | None = None) -> list[Answer]:
        """
        Checks documents one after another, perhaps under another threshold.
        """
    def close(self, /) -> None:
        """
        Closes the index, so that it can be opened again. What was done is on disk already.
        """
    def collapse(self, /, ranked: "collections.abc.Iterable[str | collections.abc.Mapping[str, object]]", *, threshold: float | None = None) -> list[int | None]:
        """
        Leaves out of a ranked list, the best first, the look-alikes of higher results: for each
        id or document the place of the one that stands for it, or nothing if it stays. A `threshold` below
        the index's own finds fewer of them the lower it is, as `recall` says.
        """
    def compact(self, /) -> None:
        """
        Gives back the room of removed documents.
        """
    def content(self, /, id: str) -> bytes | None:
        """
        The content of the document of an id, if it is stored.
        """
    @staticmethod
    def create(path: str | PathLike[str], recipe: "Recipe | str | os.PathLike[str] | None" = None, *, store_text: bool = True, learned: str | PathLike[str] | None = None, secret: str | PathLike[str] | None = None, cache_bytes: int | None = None) -> Index:
        """
        Makes an index in a folder that is empty or does not exist. A recipe with templates needs
        those that a run has learned.
        """
    def export(self, /, path: str | PathLike[str]) -> int:
        """
        Writes all documents with how often they were found: Parquet if the name ends in `.parquet`, JSON
        lines otherwise; how many.
        """
    def get(self, /, id: str) -> Record | None:
        """
        The document of an id.
        """
    @staticmethod
    def in_memory(recipe: "Recipe | str | os.PathLike[str] | None" = None, *, store_text: bool = True) -> Index:
        """
        Makes an index in memory, which is gone when it is closed; `snapshot` saves it to a folder.
        """
    def load(self, /, documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]") -> int:
        """
        Adds any number of documents, some at a time, as they come; how many.
        """
    @staticmethod
    def open(path: str | PathLike[str], *, secret: str | PathLike[str] | None = None, cache_bytes: int | None = None, rebuild: bool = False) -> Index:
        """
        Opens an index. One process at a time can. With `rebuild`, what is damaged is left out and
        everything else made anew; `rebuilt` says what was lost.
        """
    @property
    def path(self, /) -> Path:
        """
        Its folder; `(in memory)` if it has none.
        """
    @property
    def rebuilt(self, /) -> Rebuilt | None:
        """
        What was lost, if the index was opened to be rebuilt.
        """
    def recall(self, /, threshold: float | None = None) -> float | None:
        """
        The share of look-alikes at exactly the `threshold`, or that of the index, which its filter finds;
        nothing if no filter alone makes candidates.
        """
    @property
    def recipe(self, /) -> Recipe:
        """
        The recipe that signs its documents.
        """
    def remove(self, /, id: str) -> bool:
        """
        Removes the document of an id; false if there is none.
        """
    def remove_batch(self, /, ids: "collections.abc.Sequence[str]") -> list[bool]:
        """
        Removes documents together; false for ids that there are none of.
        """
    def snapshot(self, /, to: str | PathLike[str]) -> None:
        """
        Writes a copy of the index as it is now to a folder that does not exist yet.
        """
    def stats(self, /) -> "dict[str, int]":
        """
        Numbers about the index.
        """
    @property
    def stores_text(self, /) -> bool:
        """
        Whether contents are stored, so that matches are verified exactly.
        """
    def verify(self, /) -> "dict[str, int]":
        """
        Reads everything and compares it; what was verified.
        """

@final
class Match:
    """
    A known document that the one asked about is a look-alike of.
    """
    def __repr__(self, /) -> str: ...
    @property
    def at_least(self, /) -> bool:
        """
        Whether there may have been more: before the index counted, or in what was damaged.
        """
    @property
    def b_similarity(self, /) -> int | None:
        """
        Equal features, if the recipe has any.
        """
    @property
    def c_similarity(self, /) -> int | None:
        """
        Equal bits of the projections, if the recipe has one.
        """
    @property
    def containment_a(self, /) -> float | None:
        """
        The share of the document that was asked about that is in this one, where it is known.
        """
    @property
    def containment_b(self, /) -> float | None:
        """
        The share of this one that is in the document that was asked about, where it is known.
        """
    @property
    def copies(self, /) -> int:
        """
        Documents that it stands for, itself included.
        """
    @property
    def difference(self, /) -> float | None:
        """
        The share of the words of both that differ, if the recipe goes by that.
        """
    @property
    def estimate(self, /) -> float | None:
        """
        The resemblance estimated from sketches, where both are known.
        """
    @property
    def exact_copies(self, /) -> int:
        """
        Those of them with its words in its order, itself included.
        """
    @property
    def first(self, /) -> int | None:
        """
        The earliest date of them, in seconds since 1970.
        """
    @property
    def id(self, /) -> str:
        """
        Its id.
        """
    @property
    def kind(self, /) -> Literal["exact", "near"]:
        """
        Whether it is the same (exact) or only near.
        """
    @property
    def last(self, /) -> int | None:
        """
        The latest.
        """
    @property
    def number(self, /) -> int:
        """
        Its number: smaller for those that were added earlier.
        """
    @property
    def repeats_in_common(self, /) -> int | None:
        """
        Repeats of Pugh's lists that share one, if the recipe has lists.
        """
    @property
    def resemblance(self, /) -> float | None:
        """
        The exact resemblance, where it is known.
        """
    @property
    def sources(self, /) -> int:
        """
        The different sources of all of them.
        """
    @property
    def time(self, /) -> int:
        """
        The time it was given, in seconds since 1970; 0 if that is not known.
        """
    @property
    def url(self, /) -> str | None:
        """
        Its URL, if it has one.
        """
    @property
    def verified(self, /) -> bool:
        """
        Whether the words themselves were compared; signatures alone can be forged.
        """

@final
class Member:
    """
    A document that a keeper stands for.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def document(self, /) -> RunDocument:
        """
        The document.
        """
    @property
    def kept(self, /) -> bool:
        """
        Whether it stays beside its keeper.
        """
    @property
    def kind(self, /) -> Literal["exact", "near"]:
        """
        How it resembles its keeper.
        """
    @property
    def resemblance(self, /) -> float | None:
        """
        How much, if that is known.
        """

@final
class Mirror:
    """
    Two roots, hosts or hosts with folders, that replicate each other.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def a(self, /) -> str:
        """
        A host, or a host and folders, with a slash in the end; the first of the two by name.
        """
    @property
    def b(self, /) -> str:
        """
        The other.
        """
    @property
    def examples(self, /) -> list[tuple[str, str, float | None]]:
        """
        Some of them: both URLs, and the resemblance where it was computed.
        """
    @property
    def kind(self, /) -> Literal["host", "prefix"]:
        """
        What is replicated: a whole host, or a folder (prefix).
        """
    @property
    def matched(self, /) -> int:
        """
        Pages under either that have a look-alike under the other at the same rest of the path.
        """
    @property
    def pages_a(self, /) -> int:
        """
        Pages under the first.
        """
    @property
    def pages_b(self, /) -> int:
        """
        Pages under the second.
        """
    @property
    def share_a(self, /) -> float:
        """
        Their share of the pages under the first.
        """
    @property
    def share_b(self, /) -> float:
        """
        Their share of the pages under the second.
        """

@final
class MirrorFindings:
    """
    What a search for mirrors found.
    """
    def __repr__(self, /) -> str: ...
    @property
    def candidates(self, /) -> int:
        """
        Pairs of documents that were compared.
        """
    @property
    def documents(self, /) -> int:
        """
        Documents that could be read.
        """
    @property
    def empty(self, /) -> int:
        """
        Documents without a token: they resemble nothing.
        """
    @property
    def found(self, /) -> int:
        """
        Mirrors in all.
        """
    @property
    def limited_groups(self, /) -> int:
        """
        Groups so large that look-alikes in them may have been missed.
        """
    @property
    def mirrors(self, /) -> list[Mirror]:
        """
        The mirrors of most pages, the largest first.
        """
    @property
    def other_files(self, /) -> int:
        """
        Files in folders that are of an unknown kind.
        """
    @property
    def pairs(self, /) -> int:
        """
        Those of them that look alike.
        """
    @property
    def peak_memory_bytes(self, /) -> int:
        """
        The most memory that was used, where the system tells.
        """
    @property
    def seconds(self, /) -> float:
        """
        How long it took.
        """
    @property
    def skipped(self, /) -> int:
        """
        Records and files that were passed over.
        """
    @property
    def without_url(self, /) -> int:
        """
        Those of them without a URL that has a host: they are part of nothing here.
        """

@final
class Passage:
    """
    A run of words that a document and a reference have in common.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def input_begin(self, /) -> int:
        """
        Its first byte in the text of the document.
        """
    @property
    def input_end(self, /) -> int:
        """
        Where it ends there.
        """
    @property
    def input_text(self, /) -> str:
        """
        Its beginning as it stands in the document: a hundred words at most, with what is between.
        """
    @property
    def input_word(self, /) -> int:
        """
        The number of its first word in the document, from 0.
        """
    @property
    def reference_begin(self, /) -> int:
        """
        Its first byte in the text of the reference.
        """
    @property
    def reference_end(self, /) -> int:
        """
        Where it ends there.
        """
    @property
    def reference_text(self, /) -> str:
        """
        Its beginning as it stands in the reference.
        """
    @property
    def reference_word(self, /) -> int:
        """
        The number of its first word in the reference, likewise.
        """
    @property
    def words(self, /) -> int:
        """
        How many words.
        """

@final
class Progress:
    """
    How far a job is.
    """
    def __repr__(self, /) -> str: ...
    @property
    def bytes(self, /) -> int:
        """
        Bytes of text of this stage so far.
        """
    @property
    def documents(self, /) -> int:
        """
        Documents of this stage so far, or candidates when deciding.
        """
    @property
    def seconds(self, /) -> float:
        """
        Seconds since the job began.
        """
    @property
    def share(self, /) -> float | None:
        """
        How much of this stage is done, from 0 to 1, as far as that is known.
        """
    @property
    def stage(self, /) -> str:
        """
        The stage at hand.
        """

@final
class Rebuilt:
    """
    What a rebuild found.
    """
    @property
    def damaged(self, /) -> int:
        """
        Documents that are there but cannot be read; they were left out.
        """
    @property
    def documents(self, /) -> int:
        """
        Documents that could be read, all of which are there again.
        """
    @property
    def faults(self, /) -> list[str]:
        """
        What is wrong with each damaged document, for the first of them.
        """
    @property
    def lost_operations(self, /) -> int:
        """
        Acknowledged operations whose end of a journal is lost.
        """
    @property
    def missing(self, /) -> int:
        """
        Documents of which nothing is left.
        """
    @property
    def uncounted(self, /) -> int:
        """
        Documents whose counts begin again, and ids and sources that may count again.
        """

@final
class Recipe:
    """
    Every parameter that results depend on.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]:
        """
        Recipes go from process to process as TOML.
        """
    def __repr__(self, /) -> str: ...
    @property
    def candidates(self, /) -> str:
        """
        What makes two documents a candidate.
        """
    def compare(self, /, a: "str | bytes", b: "str | bytes") -> Comparison:
        """
        Everything that can be said of two texts.
        """
    def compare_html(self, /, a: "str | bytes", b: "str | bytes", url_a: str | None = None, url_b: str | None = None) -> Comparison:
        """
        Everything that can be said of two web pages.
        """
    def compare_items(self, /, a: "collections.abc.Iterable[str | bytes | float | None]", b: "collections.abc.Iterable[str | bytes | float | None]") -> Comparison:
        """
        Everything that can be said of two sets of items, by the recipe `sets` or one like it.
        """
    @property
    def counts_in_common(self, /) -> bool:
        """
        Whether it is counted what two documents have in common, since to share one key is not enough
        for a candidate: features of which a document would have too many super-features, or the
        elements of sketches.
        """
    @property
    def digest(self, /) -> str:
        """
        Identifies all parameters but the name.
        """
    @property
    def filter(self, /) -> tuple[int, int, int] | None:
        """
        The filter (k, s, r), if there is one.
        """
    @staticmethod
    def from_toml(text: str) -> Recipe:
        """
        A recipe from TOML.
        """
    def judge_batch(self, /, shingles_a: "object | None" = None, shingles_b: "object | None" = None, *, signatures_a: "object | None" = None, signatures_b: "object | None" = None, same_site: "object | None" = None) -> "pyarrow.RecordBatch":
        """
        Judges pairs of documents that share a key, as the job does.
        """
    def judging(self, /, *, threshold: float | None = None, verify: str | None = None, sites: str | None = None) -> Recipe:
        """
        The recipe, judged in another way; its signatures stay the same unless estimates need the
        sketches.
        """
    @property
    def keeps_projection(self, /) -> bool:
        """
        Whether signatures keep the projection.
        """
    @staticmethod
    def load(recipe: "Recipe | str | os.PathLike[str]", *, threshold: float | None = None, recall: float | None = None, ngram: int | None = None, verify: str | None = None, sites: str | None = None, templates: str | None = None) -> Recipe:
        """
        The preset of this name, the recipe in this file, or this recipe, as a job judges by it: the
        filter is chosen for the threshold and the recall where it is open, as in `text`, `sites` and
        files that do not say what it is. `ngram` is the width of shingles.
        """
    @property
    def name(self, /) -> str:
        """
        Its name.
        """
    @property
    def permutations(self, /) -> int | None:
        """
        Permutations of the minwise sketch, if there is one.
        """
    @staticmethod
    def preset(name: str) -> Recipe:
        """
        A named recipe.
        """
    @staticmethod
    def presets() -> list[str]:
        """
        The names of the presets.
        """
    def probability(self, /, resemblance: float) -> float:
        """
        The probability that two documents of this resemblance become a candidate, by the filter.
        """
    @property
    def projection_bits(self, /) -> int | None:
        """
        Bits of the projection, if there is one.
        """
    @property
    def seed(self, /) -> int:
        """
        From which all random choices are drawn.
        """
    @property
    def shingle_width(self, /) -> int:
        """
        Tokens in a shingle.
        """
    def shingles_batch(self, /, texts: "object | None" = None, *, html: "object | None" = None, urls: "object | None" = None, key: "bytes | None" = None) -> "pyarrow.ListArray[typing.Any]":
        """
        The shingle sets of a column of texts or web pages, as verification compares them: under a
        key of 16 bytes that is secret, or nobody can rely on them. Of recipes that verify by difference,
        what stands for the words in their order.
        """
    def sign(self, /, text: "str | bytes") -> Signature:
        """
        The signature of a text.
        """
    def sign_batch(self, /, texts: "object | None" = None, *, html: "object | None" = None, urls: "object | None" = None, keep: str | None = None, keep_values: "object | None" = None, dates: "object | None" = None, columns: "collections.abc.Sequence[str] | None" = None, key: "bytes | None" = None) -> "pyarrow.RecordBatch":
        """
        Signs a column of texts or web pages; see the guide.
        """
    def sign_html(self, /, html: "str | bytes", url: str | None = None) -> Signature:
        """
        The signature of what a visitor sees of a web page.
        """
    def sign_items(self, /, items: "collections.abc.Iterable[str | bytes | float | None]") -> Signature:
        """
        The signature of a set of items: texts, bytes, numbers or truth values, of which a number counts as
        the text that it is written as, and None as nothing. Resemblance is then the Jaccard similarity of
        the sets. For recipes with shingles of one token, as `sets` is.
        """
    @property
    def signature_bytes(self, /) -> int:
        """
        Bytes of a signature as it is stored.
        """
    @property
    def signing_digest(self, /) -> str:
        """
        Identifies the parameters that signatures depend on.
        """
    def site(self, /, url: str) -> str | None:
        """
        The site of a URL, if it has one.
        """
    @property
    def sites(self, /) -> Literal["label", "public-suffix"]:
        """
        What a site is: label or public-suffix.
        """
    @property
    def threshold(self, /) -> float:
        """
        The resemblance from which on a verified candidate is a pair.
        """
    def to_toml(self, /) -> str:
        """
        The recipe as a TOML file.
        """
    @property
    def tokens(self, /) -> Literal["words", "characters", "lines", "sentences", "paragraphs", "items"]:
        """
        What a token is: words, characters, lines, sentences, paragraphs or items.
        """
    @staticmethod
    def tune(threshold: float = 0.8, recall: float = 0.95) -> Recipe:
        """
        The recipe `text` for another target: of the pairs at exactly the threshold, the share
        `recall` becomes candidates.
        """
    @property
    def verify(self, /) -> Literal["exact", "estimate", "difference", "none"]:
        """
        What makes a candidate a pair: exact, estimate or none.
        """

@final
class Record:
    """
    A document of the index.
    """
    def __repr__(self, /) -> str: ...
    @property
    def at_least(self, /) -> bool:
        """
        Whether there may have been more: before the index counted, or in what was damaged.
        """
    @property
    def bytes(self, /) -> int:
        """
        Its length in bytes.
        """
    @property
    def copies(self, /) -> int:
        """
        Documents that it stands for, itself included.
        """
    @property
    def exact_copies(self, /) -> int:
        """
        Those of them with its words in its order, itself included.
        """
    @property
    def first(self, /) -> int | None:
        """
        The earliest date of them, in seconds since 1970.
        """
    @property
    def id(self, /) -> str:
        """
        Its id.
        """
    @property
    def last(self, /) -> int | None:
        """
        The latest.
        """
    @property
    def number(self, /) -> int:
        """
        Its number: ascending in the order of adding.
        """
    @property
    def sources(self, /) -> int:
        """
        The different sources of all of them.
        """
    @property
    def stored(self, /) -> Literal["text", "html", "items"] | None:
        """
        What is stored of its content: text, html, items or nothing.
        """
    @property
    def time(self, /) -> int:
        """
        The time it was given, in seconds since 1970; 0 if none was.
        """
    @property
    def tokens(self, /) -> int:
        """
        Tokens of its text.
        """
    @property
    def url(self, /) -> str | None:
        """
        Its URL, if it has one.
        """

@final
class Records:
    """
    The documents of an index, in the order of adding.
    """
    def __iter__(self, /) -> Records: ...
    def __next__(self, /) -> Record: ...

@final
class Removal:
    """
    Why a document went.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def cluster_size(self, /) -> int:
        """
        Documents of the cluster, the keeper among them.
        """
    @property
    def features(self, /) -> int | None:
        """
        How many features there are.
        """
    @property
    def keeper(self, /) -> RunDocument:
        """
        The document that stands for it.
        """
    @property
    def kind(self, /) -> Literal["exact", "near"]:
        """
        How it resembles its keeper.
        """
    @property
    def path(self, /) -> list[Step]:
        """
        If they are no pair: the pairs that join the document to its keeper.
        """
    @property
    def scores(self, /) -> Scores | None:
        """
        How similar the document and its keeper are; None if only other documents join them.
        """
    @property
    def shared_features(self, /) -> list[int] | None:
        """
        The numbers of the features that both have, from 1, if the recipe has features.
        """

@final
class RunDocument:
    """
    A document of a run, and where it is.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def id(self, /) -> str:
        """
        Its id.
        """
    @property
    def offset(self, /) -> int | None:
        """
        Of a web archive: the byte of its file at which its record begins, if that is known.
        """
    @property
    def record(self, /) -> int:
        """
        Its place in the file, from 1.
        """
    @property
    def row(self, /) -> int:
        """
        Its place among all documents, from 0.
        """
    @property
    def source(self, /) -> str:
        """
        The path of its file, as it was named.
        """
    @property
    def url(self, /) -> str | None:
        """
        Its URL, if it has one.
        """

@final
class Scores:
    """
    How similar the two documents of a pair are; None for what the recipe does not have or the run
    did not compute.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def b_similarity(self, /) -> int | None:
        """
        Equal features.
        """
    @property
    def c_similarity(self, /) -> int | None:
        """
        Equal bits of the projection.
        """
    @property
    def containment_a(self, /) -> float | None:
        """
        The share of the first that is in the second.
        """
    @property
    def containment_b(self, /) -> float | None:
        """
        The share of the second that is in the first.
        """
    @property
    def difference(self, /) -> float | None:
        """
        The share of the words of both that differ, if the recipe goes by that.
        """
    @property
    def estimate(self, /) -> float | None:
        """
        The resemblance as the sketches see it.
        """
    @property
    def repeats_in_common(self, /) -> int | None:
        """
        Repeats of Pugh's lists that share one.
        """
    @property
    def resemblance(self, /) -> float | None:
        """
        Shingles of both, out of those of either.
        """

@final
class Signature:
    """
    What is kept of a document.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[Recipe, bytes]]: ...
    def __repr__(self, /) -> str: ...
    def b_similarity(self, /, other: Signature) -> int | None:
        """
        Equal features, if the recipe has any.
        """
    def c_similarity(self, /, other: Signature) -> int | None:
        """
        Equal bits of the projections, if the recipe has one.
        """
    @property
    def empty(self, /) -> bool:
        """
        Whether the document had no tokens; then it resembles nothing.
        """
    def estimate(self, /, other: Signature) -> float | None:
        """
        The resemblance estimated from the sketches, if they can.
        """
    @property
    def exact(self, /) -> bytes:
        """
        The fingerprint of the token sequence: 16 bytes, the highest first.
        """
    @property
    def features(self, /) -> NDArray[uint64]:
        """
        The features, as a numpy array of u64.
        """
    @staticmethod
    def from_bytes(recipe: Recipe, bytes: bytes) -> Signature:
        """
        A signature from the bytes that `to_bytes` gave.
        """
    @property
    def projection(self, /) -> bytes:
        """
        The projection, place i at bit i % 8 of byte i // 8.
        """
    @property
    def recipe(self, /) -> Recipe:
        """
        The recipe that made it.
        """
    def repeats_in_common(self, /, other: Signature) -> int | None:
        """
        Repeats of Pugh's lists that share one, if the recipe has lists.
        """
    @property
    def sketch(self, /) -> NDArray[uint64]:
        """
        The sketch, as a numpy array of u64.
        """
    def to_bytes(self, /) -> bytes:
        """
        As signature files have it; the sketch only if the recipe keeps it.
        """
    @property
    def tokens(self, /) -> int:
        """
        Tokens of the document.
        """

@final
class Step:
    """
    A pair on the way from one document to another.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def a(self, /) -> RunDocument:
        """
        Where it begins.
        """
    @property
    def b(self, /) -> RunDocument:
        """
        Where it ends.
        """
    @property
    def kind(self, /) -> Literal["exact", "near"]:
        """
        How the two resemble each other.
        """
    @property
    def scores(self, /) -> Scores:
        """
        How much.
        """

def against(references: "collections.abc.Sequence[str]", inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> Findings:
    """
    Finds the documents of inputs that resemble or contain a reference.
    """

def decide(folder: str | PathLike[str], out: str | PathLike[str], options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> str:
    """
    Decides again from a finished run; the report, as JSON.
    """

def dedup(inputs: "collections.abc.Sequence[str]", out: str | PathLike[str], options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> str:
    """
    Runs a job on files; the report, as JSON.
    """

def dedup_table(table: "object", known: "object | None", out: str | PathLike[str], options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> tuple[str, int]:
    """
    Runs a job on a table in memory; the report, as JSON, and how many rows the table has.
    """

def evaluate(documents: "collections.abc.Sequence[str]", labels: str | PathLike[str], options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> tuple[str, str, str]:
    """
    Evaluates recipes; the evaluation as JSON, as a page, and as a table in CSV.
    """

def keep_fields(policy: str) -> tuple[list[str], bool]:
    """
    The fields that a keep policy looks at, and whether it ends in the order of the input.
    """

def mirrors(inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> MirrorFindings:
    """
    Finds hosts and folders that replicate each other.
    """

def passages(inputs: "collections.abc.Sequence[str]", out: str | PathLike[str], options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> str:
    """
    Cuts passages of files, and removes no document as a look-alike; the report, as JSON.
    """

def passages_table(table: "object", out: str | PathLike[str], options: "collections.abc.Mapping[str, object]", progress: "collections.abc.Callable[[Progress], object] | None" = None) -> str:
    """
    Cuts passages of a table in memory; the report, as JSON.
    """

def path_between(folder: str | PathLike[str], a: str, b: str) -> list[Step] | None:
    """
    The shortest path of stored pairs from one document to another; None if nothing joins them.
    """

def plan(inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]") -> str:
    """
    What a job on files would take, as JSON.
    """

def records_of_rows(run: str | PathLike[str], rows: "collections.abc.Sequence[int]") -> list[int]:
    """
    The places in their files, from 1, of documents by their rows, of which those that cannot be
    read have none.
    """

def report_page(report: str) -> str:
    """
    The page of a report, which is given as JSON.
    """

def rows_cut_whole(run: str | PathLike[str]) -> list[int]:
    """
    The rows of a run of which too little was left, so that they went as a whole.
    """

def run_command(arguments: "collections.abc.Sequence[str]") -> int:
    """
    Does what the arguments of the command say; the exit code. Only for a process that does nothing
    else: the command writes to the process's own standard output and may end it.
    """

def tune(threshold: float | None = None, recall: float = 0.95, *, permutations: int | None = None, bytes: int | None = None, unwanted: float | None = None, k: int | None = None, s: int | None = None, r: int | None = None, recipe: "Recipe | str | os.PathLike[str] | None" = None) -> Filter:
    """
    A filter for a threshold and a recall, a given one, or that of a recipe.
    """

def why(folder: str | PathLike[str], id: str) -> list[Explanation]:
    """
    What became of the documents of an id, or of a URL: those that the run tells of, the first 100.
    """

__all__ = ["GROUP_LIMIT", "VERSION", "Added", "Answer", "CheckedAndAdded", "Comparison", "Cut", "Explanation", "Filter", "FilterBin", "FilterMeasurement", "Finding", "Findings", "Index", "Match", "Member", "Mirror", "MirrorFindings", "Passage", "Progress", "Rebuilt", "Recipe", "Record", "Records", "Removal", "RunDocument", "Scores", "Signature", "Step", "against", "decide", "dedup", "dedup_table", "evaluate", "keep_fields", "mirrors", "passages", "passages_table", "path_between", "plan", "records_of_rows", "report_page", "rows_cut_whole", "run_command", "tune", "why"]
