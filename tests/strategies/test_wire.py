"""The wire between caller and worker: messages arrive whole, in order, large buffers beside them."""

from __future__ import annotations

import gc
import socket
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concurrent_choices._strategies._workers._between import _shared_memory
from concurrent_choices._strategies._workers._between._wire import SHARED_FROM, Link
from concurrent_choices._transfer._pickling import load
from descriptors import no_descriptors


@pytest.fixture
def ends():
    """Both ends of a wire."""
    left, right = (Link(sock) for sock in socket.socketpair())
    yield left, right
    left.close()
    right.close()


def open_descriptors():
    """How many descriptors are open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def received(link, count):
    """So many messages, as plain tuples."""
    messages = []
    while len(messages) < count:
        messages += link.receive()
    return [
        (it.kind, it.job, it.start, it.nanoseconds, [bytes(frame) for frame in it.frames]) for it in messages
    ]


def flushed(link):
    """Send all of it, in a thread, since a socket holds only so much."""
    sender = threading.Thread(target=link.flush)
    sender.start()
    return sender


def test_a_message(ends):
    """What is sent is what arrives."""
    left, right = ends
    left.queue(3, 1, 7, [b"payload"], 42)
    left.flush()
    assert received(right, 1) == [(3, 1, 7, 42, [b"payload"])]
    assert not left.pending


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(
            st.sampled_from([0, 1, 100, 1 << 16, (1 << 16) - 1, SHARED_FROM, SHARED_FROM + 1]),
            min_size=1,
            max_size=3,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_sizes(messages):
    """Small frames, large ones and those in shared memory keep their places and their order."""
    left, right = (Link(sock) for sock in socket.socketpair())
    try:
        sent = []
        for number, sizes in enumerate(messages):
            frames = [bytes([65 + place]) * size for place, size in enumerate(sizes)]
            left.queue(1, number, 0, frames)
            sent.append((1, number, 0, 0, frames))
        sender = flushed(left)
        assert received(right, len(messages)) == sent
        sender.join()
    finally:
        left.close()
        right.close()


def test_bytes_that_dribble_in():
    """A message that arrives byte by byte is put together."""
    theirs, ours = socket.socketpair()
    copy = socket.socketpair()
    writer, reader = Link(copy[0]), Link(ours)
    writer.queue(1, 2, 3, [b"slowly", b"arriving"])
    writer.flush()
    for byte in copy[1].recv(1000):
        theirs.send(bytes([byte]))
    assert received(reader, 1) == [(1, 2, 3, 0, [b"slowly", b"arriving"])]
    for end in (theirs, copy[1], writer, reader):
        end.close()


def test_a_full_wire_does_not_block(ends):
    """With MSG_DONTWAIT as much goes as fits, and the rest stays lined up."""
    left, right = ends
    frames = [b"x" * (SHARED_FROM - 1)]
    for _ in range(3):
        left.queue(1, 0, 0, frames)
    left.flush(socket.MSG_DONTWAIT)
    assert left.pending
    sender = flushed(left)
    assert received(right, 3) == [(1, 0, 0, 0, frames)] * 3
    sender.join()


def test_the_other_end_closes(ends):
    """Its end is an EOFError, whether it closed or was reset."""
    left, right = ends
    left.close()
    with pytest.raises(EOFError):
        right.receive()


def test_shared_memory_lives_as_long_as_it_is_looked_at(ends):
    """A large frame is readable after its message is gone, and goes with its last view."""
    left, right = ends
    before = open_descriptors()
    left.queue(1, 0, 0, [b"head", b"z" * SHARED_FROM])
    sender = flushed(left)
    (message,) = right.receive()
    sender.join()
    frame = message.frames[1]
    del message
    gc.collect()
    assert bytes(frame[-3:]) == b"zzz"
    del frame
    gc.collect()
    assert (
        open_descriptors() <= before
    )  # fewer, if workers of an earlier test have ended their rest meanwhile


@pytest.mark.parametrize("frames", [[b"small"], [b"head", b"z" * SHARED_FROM]], ids=["small", "large"])
def test_what_ctrl_c_comes_in_between_of_is_not_sent_twice(ends, monkeypatch, frames):
    """Nobody knows whether it was sent; half of it twice would be taken for a message of another kind."""
    left, right = ends
    send = Link._send

    def is_interrupted(link, view, flags):
        send(link, view, flags)
        raise KeyboardInterrupt

    left.queue(1, 0, 0, frames)
    with monkeypatch.context() as patched:
        patched.setattr(Link, "_send", is_interrupted)
        with pytest.raises(KeyboardInterrupt):
            left.flush()
    left.queue(2, 0, 0, frames)
    left.flush()
    assert [kind for kind, *_ in received(right, 2)] == [1, 2]


def test_no_python_code_lets_go_of_shared_memory(ends):
    """Ctrl-C that came in a weakref's callback would be printed and forgotten, and the run would go on."""
    left, right = ends
    held, called = len(_shared_memory._held), []
    left.queue(1, 0, 0, [b"head", b"z" * SHARED_FROM])
    sender = flushed(left)
    (message,) = right.receive()
    sender.join()
    assert len(_shared_memory._held) == held + 1
    sys.setprofile(lambda _frame, event, _arg: called.append(event))
    del message
    sys.setprofile(None)
    assert len(_shared_memory._held) == held
    assert "call" not in called


def test_descriptors_that_were_not_taken_are_closed():
    """A wire that is closed with shared memory under way leaves no descriptor open."""
    before = open_descriptors()
    left, right = (Link(sock) for sock in socket.socketpair())
    left.queue(1, 0, 0, [b"z" * SHARED_FROM])
    left.queue(1, 0, 0, [b"z" * SHARED_FROM])
    left.close()
    right.close()
    assert (
        open_descriptors() <= before
    )  # fewer, if workers of an earlier test have ended their rest meanwhile


def sent_large(link):
    """Put a message with shared memory on the wire, after which comes a small one."""
    link.queue(1, 2, 3, [b"head", b"z" * SHARED_FROM])
    link.queue(1, 2, 4, [b"after"])
    link.flush()


@pytest.mark.parametrize("spare", [0, 1], ids=["to receive it", "to map it"])
def test_no_descriptor_for_what_was_sent(ends, spare):
    """Who reads the frames is told so, and the messages after it arrive."""
    left, right = ends
    sent_large(left)
    messages = []
    with no_descriptors(spare):
        while len(messages) < 2:
            messages += right.receive()
    lost, after = messages
    assert (lost.start, after.start, bytes(after.frames[0])) == (3, 4, b"after")
    with pytest.raises(OSError, match="Too many open files"):
        load(lost.frames)
    left.queue(1, 2, 5, [b"head", b"z" * SHARED_FROM])
    left.flush()
    assert received(right, 1) == [(1, 2, 5, 0, [b"head", b"z" * SHARED_FROM])]


def test_no_descriptor_for_what_is_to_be_sent(ends):
    """Large frames travel as small ones do."""
    left, right = ends
    with no_descriptors():
        left.queue(1, 2, 3, [b"head", b"z" * SHARED_FROM])
    sender = flushed(left)
    assert received(right, 1) == [(1, 2, 3, 0, [b"head", b"z" * SHARED_FROM])]
    sender.join()
