"""Runs the Python blocks of one file, in order, as the main program a newcomer makes of them.

A block shown to a newcomer is pasted into a script, so it is run as one: in a fresh interpreter, as
`__main__`, without a guard. Called as `python -c "import _run_document; ..."` so that `__main__` is
empty at first.
"""

from __future__ import annotations

import doctest
import sys

from sybil.document import Document, PythonDocStringDocument
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

__all__ = ["count", "evaluate"]

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def parse(path: str) -> Document:
    """A Markdown file, or the docstrings of a module."""
    if path.endswith(".py"):
        return PythonDocStringDocument.parse(path, DocTestParser(FLAGS), PythonCodeBlockParser())
    document = Document.parse(path, PythonCodeBlockParser(doctest_optionflags=FLAGS))
    document.namespace = vars(sys.modules["__main__"])
    return document


def count(path: str) -> int:
    """How many examples a file holds."""
    return sum(1 for _ in parse(path))


def evaluate(path: str) -> None:
    """Run them all; the first that fails says so and ends it."""
    for example in parse(path):
        example.evaluate()
