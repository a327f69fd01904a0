"""What a child sends costs the judge no more memory than the caps say."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from judge.runner.wire import MAGIC, PREFIX, Caps, WireError
from judge.sandbox.child import CHUNK, _Answer
from judge.sandbox.output import CHUNK as PIPE
from judge.sandbox.output import Stream

MIB = 1 << 20


@contextmanager
def at_most(limit_bytes: int) -> Iterator[None]:
    """Fails if more than that is allocated at any time within."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit_bytes
    finally:
        tracemalloc.stop()


def test_a_flood_of_output_takes_what_is_kept_of_it_and_no_more() -> None:
    read, write = os.pipe()
    stream = Stream(read, 64 << 10)
    with at_most(4 * (64 << 10) + 2 * PIPE):
        for _ in range(1000):
            os.write(write, b"x" * PIPE)
            stream.drain()
    os.close(write)
    stream.close()
    assert stream.total == 1000 * PIPE
    assert len(stream.text()) < (64 << 10) + 100


def test_an_answer_as_large_as_allowed_is_held_twice_at_most() -> None:
    size = 32 * MIB
    head = b'{"id":1,"buffers":[{"dtype":"bytes","shape":[%d]}]}' % size
    chunk = bytes(CHUNK)
    # The bytes as they came, an eighth of room to grow, and one private copy; the message's own is that copy's slice.
    with at_most(int(3.2 * size)):
        answer = _Answer(Caps(body_bytes=size))
        answer.take(PREFIX.pack(MAGIC, len(head), size) + head)
        for _ in range(size // CHUNK):
            whole = answer.take(chunk)
        assert whole
        message = answer.message()
    assert len(message.buffers[0]) == size


def test_an_answer_that_says_it_is_larger_is_refused_before_it_comes() -> None:
    with at_most(MIB):
        answer = _Answer(Caps())
        with pytest.raises(WireError):
            answer.take(PREFIX.pack(MAGIC, 10, 1 << 42))


def test_an_answer_that_goes_on_is_refused_at_its_end() -> None:
    with at_most(3 * CHUNK):
        answer = _Answer(Caps())
        with pytest.raises(WireError):
            answer.take(PREFIX.pack(MAGIC, 2, 0) + bytes(CHUNK))
