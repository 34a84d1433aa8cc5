"""The wire between the caller's process and one worker: framed messages over a socket.

A message is a header and frames: the first frame is a pickle, the others the buffers it refers to
(pickle protocol 5). Frames of a megabyte and more travel in a nameless piece of shared memory, whose
descriptor goes with the message, so nothing can be left behind by a death.
"""

from __future__ import annotations

import errno
import os
import struct
from _socket import AF_UNIX, CMSG_SPACE, MSG_CTRUNC, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socketpair
from collections import deque
from itertools import takewhile

from ...._facts._lean import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["UNFORKED", "Kind", "Link", "Message", "Terms", "socket_pair"]

UNFORKED = 1 << 16
"""What a fork server adds to an error's number, which it tells in place of the exit status of a worker that
it could not fork; exit statuses are smaller."""

SHARED_FROM = 1 << 20
"""Bytes from which a frame is worth a piece of shared memory of its own (guessed: below, two copies through a
socket take no longer than to make and map one)."""

_JOINED = 1 << 16
"""Bytes up to which a frame is copied to the header, to be sent in one call (guessed: the copy takes less
than a second call)."""

_CAN_SHARE = hasattr(os, "memfd_create")

_HEADER = struct.Struct("<BBHIqqQ")  # kind, shared, frames, job, start, nanoseconds, first frame's size
_RECEIVED = 1 << 18  # bytes asked for at a time (guessed: what a socket holds)
_DESCRIPTOR = struct.Struct("i")
_ROOM_FOR_ONE = CMSG_SPACE(_DESCRIPTOR.size)


def socket_pair(kind: int = SOCK_STREAM) -> tuple[socket, socket]:
    """Two connected sockets, both without a timeout."""
    ours, theirs = socketpair(AF_UNIX, kind)
    for one in (ours, theirs):
        one.settimeout(None)  # `socket.setdefaulttimeout` is not meant for these
    return ours, theirs


class Kind:
    """What a message says."""

    HELLO = 1  # to a worker: where it is, what to set up
    JOB = 2  # to a worker: the terms of a job
    BATCH = 3  # to a worker: items
    AUDIT = 4  # to a worker: what have calls changed of what is watched?
    GO_ON = 5  # to a worker: the terms of a job whose callable is that of the last one
    CEASE = 6  # to a worker: its caller leaves this job
    READY = 11  # from a worker: it is up; or why it is not
    DONE = 12  # from a worker: what came of a batch
    REFUSED = 13  # from a worker: it cannot read this batch; nothing was started
    UNFIT = 14  # from a worker: it cannot load the job
    CHANGED = 15  # from a worker: what calls have changed; empty where nothing was
    LOGGED = 16  # from a worker: a record for the caller's handlers
    CEASED = 17  # from a worker: it has ended what belonged to the job, and can have another


class Message(NamedTuple):
    """One message, as received."""

    kind: int
    job: int
    start: int
    nanoseconds: int
    frames: list[Any]

    @property
    def text(self) -> str:
        """What it says, if that is words."""
        return bytes(self.frames[0]).decode()


class Terms(NamedTuple):
    """What a worker is told of a job.

    Attributes:
        fn: The callable.
        is_async: Whether calling it gives a coroutine.
        quick: Whether it touches nothing, so that one mark will do for a batch.
        return_exceptions: Whether an exception stands in its item's place.
        timeout: Seconds an item may take, or None.
        lanes: How many share the machine with each item.
        inner: Performs a job in lanes inside the worker, or None for one item at a time.
        watched: Whether what it holds, and its items, are looked at for changes.
        needed: What else is brought along, for what unpickling it does: importing, comparing.
    """

    fn: Callable[..., Any]
    is_async: bool = False
    quick: bool = False
    return_exceptions: bool = False
    timeout: float | None = None
    lanes: int = 1
    inner: Any = None
    watched: bool = False
    needed: Sequence[object] = ()


class Link:
    """One end of the wire."""

    def __init__(self, sock: socket) -> None:
        self._socket = sock
        self._buffer = b""
        # Kept: memory asked for anew is cold, and a small message would take 50 us more, at both ends.
        self._room = memoryview(bytearray(_RECEIVED))
        self._descriptors: deque[int | None] = deque()  # None is one that was lost
        self._outgoing: deque[memoryview] = deque()
        self._attached: deque[tuple[memoryview, int]] = deque()

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the socket and what came over it and was not taken."""
        self._socket.close()
        while self._descriptors:
            if (descriptor := self._descriptors.popleft()) is not None:
                os.close(descriptor)
        while self._attached:
            os.close(self._attached.popleft()[1])

    @property
    def pending(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing)

    @property
    def unfinished(self) -> int:
        """Bytes that have come of a message whose rest has not."""
        return len(self._buffer)

    def queue(self, kind: int, job: int, start: int, frames: Sequence[Any], nanoseconds: int = 0) -> None:
        """Line up a message; `flush` sends it."""
        first = frames[0]
        if len(frames) == 1 and type(first) is bytes and len(first) < _JOINED:
            head = _HEADER.pack(kind, 0, 1, job, start, nanoseconds, len(first))
            self._outgoing.append(memoryview(head + first))
        else:
            self._queue_large(kind, job, start, frames, nanoseconds)

    def _queue_large(self, kind: int, job: int, start: int, frames: Sequence[Any], nanoseconds: int) -> None:
        views = [memoryview(frame).cast("B") for frame in frames]
        shared = [view for view in views if view.nbytes >= SHARED_FROM] if _CAN_SHARE else []
        descriptor = _shared(shared) if shared else None
        if descriptor is None:
            shared = []
        sizes = [view.nbytes for view in views]
        head = _HEADER.pack(kind, bool(shared), len(views), job, start, nanoseconds, sizes[0])
        more = struct.pack(f"<{len(sizes) - 1}Q", *sizes[1:])
        inline = [view for view in views if not (shared and view.nbytes >= SHARED_FROM)]
        small = [*takewhile(lambda view: view.nbytes < _JOINED, inline)]
        first = memoryview(b"".join((head, more, *small)))
        if descriptor is not None:
            self._attached.append((first, descriptor))
        self._outgoing.extend((first, *inline[len(small) :]))

    def flush(self, flags: int = 0) -> None:
        """Send what is lined up; with ``MSG_DONTWAIT`` as much as goes at once."""
        outgoing = self._outgoing
        if len(outgoing) > 1 and not self._attached:
            self._join()
        while outgoing:
            view = outgoing.popleft()  # first: what Ctrl-C comes in between of must not be sent twice
            try:
                sent = self._send(view, flags)
            except OSError as error:
                outgoing.appendleft(view)
                if isinstance(error, BlockingIOError):
                    return
                raise
            if sent < view.nbytes:
                outgoing.appendleft(view[sent:])

    def _join(self) -> None:
        """Make one piece of the small ones, to be sent in one call."""
        small: list[memoryview] = []
        while self._outgoing and self._outgoing[0].nbytes < _JOINED:
            small.append(self._outgoing.popleft())
        if small:
            self._outgoing.appendleft(memoryview(b"".join(small)))

    def _send(self, view: memoryview, flags: int) -> int:
        if not self._attached or self._attached[0][0] is not view:
            return self._socket.send(view, flags)
        _, descriptor = self._attached.popleft()
        rights = (SOL_SOCKET, SCM_RIGHTS, _DESCRIPTOR.pack(descriptor))
        try:
            sent = self._socket.sendmsg([view], [rights], flags)
        except OSError:
            self._attached.appendleft((view, descriptor))
            raise
        os.close(descriptor)
        return sent

    def receive(self) -> list[Message]:
        """Wait for bytes; give the messages that are complete.

        Raises:
            EOFError: The other end is gone.
        """
        try:
            count, ancillary, flags, _ = self._socket.recvmsg_into([self._room], _ROOM_FOR_ONE)
        except ConnectionError as error:
            raise EOFError from error
        if not count:
            raise EOFError
        data = bytes(self._room[:count])
        for _, _, rights in ancillary:
            self._descriptors.append(_DESCRIPTOR.unpack_from(rights)[0])
        if flags & MSG_CTRUNC:  # one came, and this process has no room for it
            self._descriptors.append(None)
        if self._buffer:
            data = self._buffer + data
        messages, rest = self._parse(data)
        self._buffer = data[rest:]
        return messages

    def _parse(self, data: bytes) -> tuple[list[Message], int]:
        """The complete messages at the front of `data`, and where the rest begins."""
        messages: list[Message] = []
        view, at, length = memoryview(data), 0, len(data)
        while length - at >= _HEADER.size:
            kind, shared, count, job, start, took, size = _HEADER.unpack_from(data, at)
            body = at + _HEADER.size
            if count == 1 and not shared:
                end = body + size
                if length < end:
                    break
                frames = [view[body:end]]
            else:
                end, frames = self._parse_large(view, body, count, size, shared)
                if end > length:
                    break
            messages.append(Message(kind, job, start, took, frames))
            at = end
        return messages, at

    def _parse_large(
        self, view: memoryview, body: int, count: int, size: int, shared: int
    ) -> tuple[int, list[Any]]:
        """Where a message of several frames ends, and the frames if all of it is there."""
        start = body + 8 * (count - 1)
        if len(view) < start:
            return start, []
        sizes = (size, *struct.unpack_from(f"<{count - 1}Q", view, body))
        apart = [bool(shared) and size >= SHARED_FROM for size in sizes]
        end = start + sum(size for size, away in zip(sizes, apart, strict=True) if not away)
        if len(view) < end:
            return end, []
        return end, self._frames(view, start, sizes, apart)

    def _frames(self, buffer: memoryview, at: int, sizes: Sequence[int], apart: list[bool]) -> list[Any]:
        shared = [size for size, away in zip(sizes, apart, strict=True) if away]
        try:
            pieces = iter(_received(self._descriptors.popleft(), shared) if shared else ())
        except OSError as error:
            return _Lost(error)
        frames: list[Any] = []
        for size, away in zip(sizes, apart, strict=True):
            frames.append(next(pieces) if away else bytearray(buffer[at : at + size]))
            at += 0 if away else size
        return frames


class _Lost(list["Any"]):
    """Frames that came here and could not be held: whoever reads them is told why, and the wire goes on."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self._error = error

    def __getitem__(self, _place: Any) -> Any:
        raise self._error


def _shared(views: list[memoryview]) -> int | None:
    """Memory that holds them, by its descriptor; None where there is none to be had."""
    from ._shared_memory import write  # noqa: PLC0415 - seldom needed, and a worker must start fast

    try:
        return write(views)
    except OSError:
        return None


def _received(descriptor: int | None, sizes: list[int]) -> list[memoryview]:
    if descriptor is None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    from ._shared_memory import read  # noqa: PLC0415 - as above

    return read(descriptor, sizes)
