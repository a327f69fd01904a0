"""What is kept of what a child printed."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from judge.sandbox.output import Stream


def kept(chunks: list[bytes], keep: int) -> tuple[bytes, int]:
    read, write = os.pipe()
    stream = Stream(read, keep)
    for chunk in chunks:
        os.write(write, chunk)
        stream.drain()
    os.close(write)
    stream.drain()
    assert not stream.open
    return stream.text(), stream.total


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=10), st.integers(2, 100))
def test_head_and_tail_are_kept_and_what_was_cut_is_counted(chunks: list[bytes], keep: int) -> None:
    whole, half = b"".join(chunks), keep // 2
    text, total = kept(chunks, keep)
    assert total == len(whole)
    if len(whole) <= 2 * half:
        assert text == whole
    else:
        cut = len(whole) - 2 * half
        assert text == whole[:half] + b"\n[... %d bytes cut ...]\n" % cut + whole[-half:]


def test_a_pipe_that_nobody_writes_to_is_not_waited_for() -> None:
    read, write = os.pipe()
    stream = Stream(read, 100)
    stream.drain()
    assert stream.open
    assert stream.text() == b""
    stream.close()
    stream.close()
    os.close(write)
