"""What crosses the boundary: whatever the bytes are, a message or a `WireError`."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from judge.runner.wire import (
    DTYPES,
    MAGIC,
    PREFIX,
    Buffer,
    Caps,
    Message,
    WireError,
    decode,
    encode,
    lengths,
    read_frame,
)

CAPS = Caps()
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)
headers = st.dictionaries(st.text().filter(lambda key: key != "buffers"), trees, max_size=4)
arrays = st.sampled_from(sorted(DTYPES)).flatmap(
    lambda name: hnp.arrays(DTYPES[name], hnp.array_shapes(min_dims=0, min_side=0))
)
buffers = st.lists(arrays | st.binary(max_size=40), max_size=4)


def frame(header: bytes, body: bytes = b"") -> bytes:
    return PREFIX.pack(MAGIC, len(header), len(body)) + header + body


def described(entry: Any, body: bytes = b"") -> Message:
    return decode(json.dumps({"buffers": [entry]}).encode(), body, CAPS)


def read(data: bytes, caps: Caps = CAPS) -> Message | None:
    return read_frame(io.BytesIO(data).read, caps)


def same(left: Buffer, right: Buffer) -> bool:
    if isinstance(left, bytes) or isinstance(right, bytes):
        return type(left) is type(right) and left == right
    return left.dtype.name == right.dtype.name and left.shape == right.shape and left.tobytes() == right.tobytes()


@settings(deadline=None)
@given(headers, buffers)
def test_what_is_encoded_comes_back_bit_for_bit(header: dict[str, Any], sent: list[Buffer]) -> None:
    message = read(encode(header, sent))

    assert message is not None
    assert message.header == header
    assert len(message.buffers) == len(sent)
    assert all(map(same, message.buffers, sent))


@settings(deadline=None, max_examples=500)
@given(st.binary(max_size=200) | st.builds(frame, st.binary(max_size=60), st.binary(max_size=20)))
def test_any_bytes_are_a_message_or_a_wire_error(data: bytes) -> None:
    try:
        message = read(data)
    except WireError:
        return
    assert message is None or isinstance(message, Message)


@settings(deadline=None, max_examples=500)
@given(trees, st.binary(max_size=64))
def test_any_description_of_buffers_is_a_message_or_a_wire_error(entry: Any, body: bytes) -> None:
    try:
        message = described(entry, body)
    except WireError:
        return
    assert sum(buffer.nbytes if isinstance(buffer, np.ndarray) else len(buffer) for buffer in message.buffers) == len(
        body
    )


@settings(deadline=None, max_examples=500)
@given(
    st.sampled_from([*sorted(DTYPES), "bytes", "object", "complex64", ""]),
    st.lists(st.integers(-1, 4) | st.sampled_from([0, 2**31, 2**62, 2**63 - 1]), max_size=5),
    st.binary(max_size=32),
)
def test_any_dtype_and_shape_is_a_message_or_a_wire_error(dtype: str, shape: list[int], body: bytes) -> None:
    try:
        message = described({"dtype": dtype, "shape": shape}, body)
    except WireError:
        return
    assert np.asarray(message.buffers[0]).nbytes == len(body) or dtype == "bytes"


@settings(deadline=None)
@given(headers, buffers, st.data())
def test_a_frame_that_is_cut_anywhere_is_refused(
    header: dict[str, Any], sent: list[Buffer], data: st.DataObject
) -> None:
    whole = encode(header, sent)
    cut = data.draw(st.integers(1, len(whole) - 1))

    with pytest.raises(WireError):
        read(whole[:cut])


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [("float32", [0x7FC00001, 0x7FA00001, 0xFFFFFFFF, 0x7F800000]), ("float64", [0x7FF8 << 48 | 1, 0x7FF0 << 48 | 1])],
)
def test_every_bit_of_a_nan_crosses(dtype: str, bits: list[int]) -> None:
    sent = np.array(bits, f"u{np.dtype(dtype).itemsize}").view(dtype)

    message = read(encode({}, [sent]))

    assert message is not None
    assert same(message.buffers[0], sent)


def test_a_view_of_four_terabytes_without_elements_takes_no_memory() -> None:
    message = described({"dtype": "int8", "shape": [0, 1 << 40]})

    assert isinstance(message.buffers[0], np.ndarray)
    assert message.buffers[0].nbytes == 0
    with pytest.raises(WireError):
        described({"dtype": "int8", "shape": [1 << 40]}, b"x")


@pytest.mark.parametrize("shape", [[0], [0, 0], [3, 0, 2], [0, 5]])
def test_an_array_without_elements_crosses(shape: list[int]) -> None:
    message = described({"dtype": "float32", "shape": shape})

    assert isinstance(message.buffers[0], np.ndarray)
    assert message.buffers[0].shape == tuple(shape)


@pytest.mark.parametrize(
    "shape", [[0, 2**62], [2**62, 0, 2**62], [2**62], [2**31, 2**31, 2**31], [2**64, 0], [-1], [True], [1.0]]
)
def test_a_shape_that_no_array_can_have_is_refused(shape: list[Any]) -> None:
    with pytest.raises(WireError):
        described({"dtype": "float64", "shape": shape})


@pytest.mark.parametrize(
    "header", [b'{"a": 1e999}', b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": 1' + b"0" * 5000 + b"}", b"[" * 100_000]
)
def test_a_header_with_numbers_or_depths_that_nothing_can_hold_is_refused(header: bytes) -> None:
    with pytest.raises(WireError):
        read(frame(header))


def test_half_a_surrogate_pair_becomes_something_that_can_be_written() -> None:
    message = read(frame(b'{"text": "a\\ud800b", "pair": "\\ud83d\\ude00", "plain": "\\\\ud800"}'))

    assert message is not None
    assert message.header == {"text": "a?b", "pair": "\U0001f600", "plain": "\\ud800"}


def test_a_bool_is_nothing_but_0_and_1() -> None:
    with pytest.raises(WireError):
        described({"dtype": "bool", "shape": [2]}, b"\x01\x02")


def test_a_frame_above_the_caps_is_refused_before_its_body_is_read() -> None:
    asked: list[int] = []

    def take(count: int) -> bytes:
        asked.append(count)
        return PREFIX.pack(MAGIC, 2, 1 << 40)

    with pytest.raises(WireError):
        read_frame(take, CAPS)
    assert asked == [PREFIX.size]


def test_the_caps_hold_at_their_very_edge() -> None:
    caps = Caps(header_bytes=10, body_bytes=20, buffers=1)

    assert lengths(PREFIX.pack(MAGIC, 10, 20), caps) == (10, 20)
    for head, body in ((11, 20), (10, 21)):
        with pytest.raises(WireError):
            lengths(PREFIX.pack(MAGIC, head, body), caps)
    with pytest.raises(WireError):
        decode(encode({}, [b"", b""])[PREFIX.size :], b"", caps)


@pytest.mark.parametrize("dtype", ["object", "complex64", "U4", "M8[s]"])
def test_a_dtype_that_may_not_cross_is_not_encoded(dtype: str) -> None:
    with pytest.raises(WireError):
        encode({}, [np.zeros(2, dtype)])


def test_what_arrives_cannot_be_written_to() -> None:
    message = read(encode({}, [np.arange(3.0)]))

    assert message is not None
    assert isinstance(message.buffers[0], np.ndarray)
    assert not message.buffers[0].flags.writeable


def test_big_endian_and_strided_arrays_arrive_as_plain_ones() -> None:
    sent = np.arange(12, dtype=">i4").reshape(3, 4)[:, ::2]

    message = read(encode({}, [sent]))

    assert message is not None
    assert np.array_equal(message.buffers[0], sent)
