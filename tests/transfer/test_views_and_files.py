"""What cloudpickle would send as something else: views of memory, and files."""

import pickle
import sys

import numpy as np
import pytest

from concurrent_choices import run
from concurrent_choices._errors import NotPicklableError
from concurrent_choices._transfer._obstacle import obstacle
from concurrent_choices._transfer._pickling import dump, load


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("one\ntwo\n")
    with path.open() as file:
        yield file


@pytest.mark.parametrize(
    "held",
    [b"abc", bytearray(b"abc"), b"", np.arange(6.0).reshape(2, 3), np.arange(3)[::2], np.array(3)],
    ids=repr,
)
def test_a_view_arrives_as_one(held):
    """It has the methods that calls use, and can be changed where that can."""
    sent = memoryview(held)
    arrived = load(dump(sent))
    assert type(arrived) is memoryview
    assert (arrived, arrived.format, arrived.shape) == (sent, sent.format, sent.shape)
    assert arrived.readonly == sent.readonly


@pytest.mark.parametrize("held", [np.arange(3, dtype=">i4"), np.zeros((0, 3))], ids=["order", "nothing"])
def test_a_view_that_nobody_else_can_make_arrives_as_bytes(held):
    """As it would by cloudpickle."""
    assert load(dump(memoryview(held))) == held.tobytes()


def test_a_file_stays(file):
    """Elsewhere calls would read a copy of what is in it, and here nobody had read anything."""
    with pytest.raises(TypeError, match=r"cannot pickle '(_io\.)?TextIOWrapper'") as refused:
        pickle.dumps(file)  # whose words differ from CPython 3.12 on
    assert obstacle([file], "the item") == f"the item's element 0 is a TextIOWrapper ({refused.value})"
    assert file.tell() == 0
    assert obstacle(lambda item: (item, file), "the lambda").startswith(
        "the lambda's closure cell 'file' is a TextIOWrapper"
    )


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_what_each_process_has_of_its_own_goes_by_name(file, name, monkeypatch):
    """There, calls write to what workers have."""
    monkeypatch.setattr(sys, name, file)
    assert load(dump(file)) is file


def test_a_run_in_processes_refuses_a_file(file):
    """Its item is named."""
    with pytest.raises(NotPicklableError, match="TextIOWrapper"):
        run(next, [file], strategy="process")
