"""Whether calls show hashes: by `hash()`, or by the order of a set that they list."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from concurrent_choices._inspect._hashes import has_own_order, hashes_are_set
from concurrent_choices._transfer._hashed import items_hashed
from concurrent_choices._transfer._kept_here import tied_here

VOCABULARY = {"apple", "banana", "cherry"}
STOPWORDS = frozenset({"a", "the"})
NUMBERS = {3, 5, 8}
TABLES = {"fruit": VOCABULARY}
SETTINGS = SimpleNamespace(words=VOCABULARY)


class Vectorizer:
    """It has a vocabulary of its own."""

    def __init__(self, words):
        self.words = words

    def vector(self, words):
        return [words.count(word) for word in self.words]

    def known(self, words):
        return [word for word in words if word in self.words]

    def __call__(self, words):
        return self.vector(words)


class Key:
    """What is hashed by what it has, and can be listed."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return hash(self) == hash(other)

    def __hash__(self):
        return hash(self.name)

    def bucket(self):
        return hash(self.name) % 8


class Keeping:
    """It keeps its hash, for itself."""

    def __init__(self, name):
        self.name = name
        self._hash = hash(name)

    def __hash__(self):
        return self._hash

    def equals(self, other):
        return hash(self.name) == hash(other)


@dataclass(frozen=True)
class Point:
    """Its hash is made of its numbers."""

    x: int
    y: float


class Plain:
    """Its hash is its place in memory."""


def shard(key):
    return hash(key) % 8


def shards(keys):
    return [shard(key) for key in keys]


def key_of(name):
    return Key(name).name


def kept_of(name):
    hash(name)  # or it raises
    return Keeping(name).equals(name)


def bucket_of(name):
    return Key(name).bucket()


def count_each(words, vocabulary):
    return [words.count(word) for word in vocabulary]


def by_for(words):
    row = []
    for word in VOCABULARY:
        row.append(words.count(word))  # noqa: PERF401 - that is tested
    return row


def by_yielding(words):
    for word in VOCABULARY:
        yield words.count(word)


def by_first_match(words):
    for word in VOCABULARY:
        if word in words:
            return word
    return None


def by_replacing(text):
    for word in STOPWORDS:
        text = text.replace(word, "")
    return text


def by_function_replacing(text):
    for word in STOPWORDS:
        text = re.sub(word, "", text)
    return text


def by_another_name(words):
    vocabulary = TABLES["fruit"]
    return [words.count(word) for word in vocabulary]


def by_default(words, vocabulary=VOCABULARY):
    return [words.count(word) for word in vocabulary]


def nested(lines):
    return [line.count(word) for line in lines for word in VOCABULARY]


def enclosing(vocabulary):
    return lambda words: [words.count(word) for word in vocabulary]


def any_in_loop(text):
    for word in STOPWORDS:  # noqa: SIM110 - that is tested
        if word in text:
            return True
    return False


def counted(text):
    count = 0
    for word in STOPWORDS:
        count += text.count(word)
    return count


def best(text):
    most = 0
    for word in STOPWORDS:
        most = max(most, text.count(word))
    return most


def collected(text):
    found = set()
    for word in STOPWORDS:
        if word in text:
            found.add(word)
    return sorted(found)


def joined(words):
    return ",".join(words)


def refusing(word):
    if word not in VOCABULARY:
        raise ValueError(f"{word} is none of {', '.join(VOCABULARY)}")
    if word.isupper():
        message = f"{word} is none of {list(VOCABULARY)}"
        raise ValueError(message)
    return word


def sorted_later(_):
    words = list(VOCABULARY)
    words.sort()
    return words


@pytest.fixture(autouse=True)
def _secret(monkeypatch):
    """Have the tests take this process for one without a seed."""
    monkeypatch.setattr("concurrent_choices._transfer._hashed.hashes_are_set", lambda: False)


@pytest.mark.parametrize(
    "fn",
    [
        shard,
        shards,
        partial(shard),
        bucket_of,
        lambda words: sorted(words, key=hash),
        lambda words: list(map(hash, words)),
    ],
)
def test_what_uses_hash(fn):
    """A callable whose calls come to `hash` stays."""
    assert "uses hash(), which gives other numbers in each process" in tied_here(fn)


@pytest.mark.parametrize("fn", [key_of, kept_of, lambda name: {Key(name): name}, lambda item: item.hash])
def test_hashing_that_is_not_shown(fn):
    """A class that says how it is hashed keeps nothing here, nor another thing of that name."""
    assert tied_here(fn) == ""


@pytest.mark.parametrize(
    ("fn", "holder"),
    [
        *((fn, "the global 'VOCABULARY'") for fn in (by_for, by_yielding, by_first_match, nested)),
        (by_replacing, "the global 'STOPWORDS'"),
        (by_function_replacing, "the global 'STOPWORDS'"),
        (by_another_name, "the global 'TABLES'"),
        (by_default, "its defaults"),
        (enclosing(VOCABULARY), "the enclosing 'vocabulary'"),
        (partial(count_each, vocabulary=VOCABULARY), "its bound arguments"),
        (Vectorizer(VOCABULARY), "its object"),
        (Vectorizer(VOCABULARY).vector, "its object"),
        (lambda words: count_each(words, VOCABULARY), "the global 'VOCABULARY'"),
        (lambda words: list(VOCABULARY) + words, "the global 'VOCABULARY'"),
        (lambda words: (*VOCABULARY, words), "the global 'VOCABULARY'"),
        (lambda words: [*SETTINGS.words, words], "the global 'SETTINGS'"),
        (lambda words: ",".join(VOCABULARY) + words, "the global 'VOCABULARY'"),
        (lambda words: ",".join(word + words for word in VOCABULARY), "the global 'VOCABULARY'"),
        (lambda words: tuple(words.count(word) for word in VOCABULARY), "the global 'VOCABULARY'"),
        (lambda words: next(word for word in VOCABULARY if word in words), "the global 'VOCABULARY'"),
        (lambda words: [i for i, word in enumerate(VOCABULARY) if word in words], "the global 'VOCABULARY'"),
        (lambda words: list(map(words.count, VOCABULARY)), "the global 'VOCABULARY'"),
        (lambda words: dict(zip(words, VOCABULARY, strict=True)), "the global 'VOCABULARY'"),
        (lambda words: [words.count(word) for word in {"one", "two", "three"}], "in its code"),  # noqa: PLC0208 - that is tested
        (lambda words: [words, *{"one", "two", "three"}], "in its code"),
        (lambda words: list({"one", "two", "three"}) + words, "in its code"),
        (lambda words: {w: n for n, w in enumerate(VOCABULARY) if w in words}, "the global 'VOCABULARY'"),
        (lambda words: list(itertools.chain(VOCABULARY, words)), "the global 'VOCABULARY'"),
    ],
)
def test_what_lists_a_set(fn, holder):
    """A callable that goes through a set of texts, and shows in what order, stays."""
    assert tied_here(fn) == f"calls go through a set ({holder}), and each process has that in another order"


@pytest.mark.parametrize(
    "fn",
    [
        any_in_loop,
        counted,
        best,
        collected,
        sorted_later,
        refusing,
        Vectorizer(VOCABULARY).known,
        Vectorizer(["apple", "banana"]),
        Vectorizer(NUMBERS),
        Vectorizer({"apple"}),
        Vectorizer(set()),
        lambda words: [word for word in words if word not in STOPWORDS],
        lambda words: [word for word in words if word not in {"one", "two", "three"}],
        lambda words: any(word in words for word in {"one", "two", "three"}),  # noqa: PLC0208 - that is tested
        lambda words: sorted({"one", "two", "three", words}),
        lambda words: list({1, 2, 3}) + words,
        lambda words: len(VOCABULARY) + len(words),
        lambda words: [words.count(word) for word in sorted(VOCABULARY)],
        lambda words: sorted(word for word in VOCABULARY if word in words),
        lambda words: sorted(VOCABULARY & set(words)),
        lambda words: sorted(list(VOCABULARY)) + words,  # noqa: C414 - that is tested
        lambda words: sorted(map(words.count, VOCABULARY)),
        lambda words: any(word in words for word in VOCABULARY),
        lambda words: all(word in words for word in VOCABULARY),
        lambda words: any(word in line for line in words for word in VOCABULARY),
        lambda words: sum(words.count(word) for word in VOCABULARY),
        lambda words: sum([words.count(word) for word in VOCABULARY]),
        lambda words: max(VOCABULARY, key=words.count),
        lambda words: {word for word in VOCABULARY if word in words},
        lambda words: {word: words.count(word) for word in VOCABULARY},
        lambda words: Counter(word for word in VOCABULARY if word in words),
        lambda words: set(words).union(VOCABULARY),
        lambda words: frozenset(VOCABULARY).issuperset(words),
        lambda words: words.startswith(tuple(VOCABULARY)),
        lambda words: words in list(VOCABULARY),
        lambda words: [words.count(number) for number in NUMBERS],
    ],
)
def test_sets_whose_order_is_not_shown(fn):
    """To look something up in a set, to sort it or to count in it keeps nothing here."""
    assert tied_here(fn) == ""


@pytest.mark.parametrize(
    ("elements", "own"),
    [
        (["a", "b"], True),
        ([b"a", b"b"], True),
        ([("a", 1), ("b", 1)], True),
        ([Plain(), Plain()], True),
        ([Key("a"), Key("b")], True),
        ([Path("a"), Path("b")], True),
        ([int, str], True),
        ([1, 2], False),
        ([1.5, 2], False),
        ([Decimal(1), Decimal("2.5")], False),
        ([(1, 2), (1, 3)], False),
        ([Point(1, 2.0), Point(2, 3.0)], False),
        (["a"], False),
        ([], False),
    ],
)
@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_that_have_an_order_of_their_own(elements, own, kind):
    """That is so of two things or more unless their hashes are made of numbers."""
    assert has_own_order(kind(elements)) is own
    assert not has_own_order(elements)


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (joined, {"a", "b"}),
        (lambda item: count_each(item[0], item[1]), ("text", {"a", "b"})),
        (lambda item: [item[0].count(word) for word in item[1]], ("text", {"a", "b"})),
        (lambda item: [1 for word in item["words"] if word], {"words": {"a", "b"}}),
        (lambda item: list(item.words), Vectorizer({"a", "b"})),
    ],
)
def test_items_that_are_listed(fn, item):
    """Items that are sets of texts, or have some, keep a callable here that lists them."""
    assert items_hashed(fn, [item]) == (
        "calls go through sets that they are given, and each process has those in another order"
    )


@pytest.mark.parametrize(
    ("fn", "item"),
    [
        (sorted, {"a", "b"}),
        (len, {"a", "b"}),
        (lambda words: "a" in words, {"a", "b"}),
        (joined, {1, 2}),
        (joined, ["a", "b"]),
        (lambda item: list(item[0]), ("text", {"a", "b"})),
    ],
)
def test_items_that_are_not_listed(fn, item):
    """Sets of numbers do not, nor those whose order is not shown."""
    assert items_hashed(fn, [item]) == ""


def _told(seed, *options, then="pass"):
    program = f"import os\n{then}\nfrom {hashes_are_set.__module__} import hashes_are_set as f; print(f())"
    environment = {"PYTHONPATH": ":".join(sys.path), **({} if seed is None else {"PYTHONHASHSEED": seed})}
    command = [sys.executable, *options, "-c", program]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(
    ("seed", "told"), [(None, "False"), ("random", "False"), ("0", "True"), ("7", "True")]
)
def test_a_seed(seed, told):
    """With a seed in the environment, all processes hash by it."""
    assert _told(seed) == told


def test_a_seed_that_comes_too_late():
    """A program that sets the seed itself has begun without."""
    assert _told(None, then="os.environ['PYTHONHASHSEED'] = '7'") == "False"


def test_nothing_stays_with_a_seed(monkeypatch):
    """Where all processes hash by one number, nothing is looked for."""
    monkeypatch.setattr("concurrent_choices._transfer._hashed.hashes_are_set", lambda: True)
    assert tied_here(shard) == tied_here(by_for) == items_hashed(joined, [{"a", "b"}]) == ""
