"""What crosses the boundary: a bounded JSON header and raw buffers. No pickle, no object arrays.

A frame is

    8 bytes   magic, b"JUDGE\\x00\\x01\\n"
    4 bytes   length of the header, unsigned, big-endian
    8 bytes   length of the body, unsigned, big-endian
    header    UTF-8 JSON object; its key "buffers" describes the body
    body      the buffers, one after the other, without padding

`buffers` is a list with one entry a buffer: `{"dtype": "float32", "shape": [8, 2]}`, C order, little-endian; dtype
`bytes` is a one-dimensional run of bytes. The lengths must add up to the body's exactly. Both sides use this module; the
trusted side alone passes its own `Caps`, and a frame outside them is refused before its body is read.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"JUDGE\x00\x01\n"
PREFIX = struct.Struct(">8sIQ")
_NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
DTYPES = {name: np.dtype(name).newbyteorder("<") for name in _NAMES.split()}
MAX_AXES = 16
MAX_DIGITS = 20
MAX_ELEMENTS = 1 << 40

Buffer = NDArray[np.generic] | bytes


class WireError(Exception):
    """The bytes are not a frame, or not one within the caps. Nothing of it may be used."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that a frame may hold: bytes of header and of body, and buffers."""

    header_bytes: int = 1 << 20
    body_bytes: int = 64 << 20
    buffers: int = 20_000


@dataclass(frozen=True, slots=True)
class Message:
    """A decoded frame. Arrays are read-only views of one private copy of the body."""

    header: Mapping[str, Any]
    buffers: tuple[Buffer, ...]


def encode(header: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> bytes:
    """One frame of bytes. Arrays must have a dtype of `DTYPES`.

    Raises:
        WireError: a dtype that may not cross.
    """
    described: list[dict[str, Any]] = []
    parts: list[bytes] = []
    for buffer in buffers:
        if isinstance(buffer, bytes):
            described.append({"dtype": "bytes", "shape": [len(buffer)]})
            parts.append(buffer)
            continue
        name = buffer.dtype.name
        if name not in DTYPES:
            raise WireError(f"dtype {name} may not cross")
        described.append({"dtype": name, "shape": list(buffer.shape)})
        parts.append(np.ascontiguousarray(buffer, dtype=DTYPES[name]).tobytes())
    head = json.dumps({**header, "buffers": described}, separators=(",", ":"), allow_nan=False).encode()
    return b"".join([PREFIX.pack(MAGIC, len(head), sum(map(len, parts))), head, *parts])


def lengths(prefix: bytes, caps: Caps) -> tuple[int, int]:
    """Bytes of header and of body that follow a prefix of `PREFIX.size` bytes.

    Raises:
        WireError: no prefix of a frame, or more than the caps allow.
    """
    if len(prefix) != PREFIX.size:
        raise WireError(f"a prefix has {PREFIX.size} bytes, not {len(prefix)}")
    magic, head, body = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise WireError("no frame begins here")
    if head > caps.header_bytes:
        raise WireError(f"a header of {head} bytes; {caps.header_bytes} are allowed")
    if body > caps.body_bytes:
        raise WireError(f"a body of {body} bytes; {caps.body_bytes} are allowed")
    return head, body


def decode(head: bytes, body: bytes, caps: Caps) -> Message:
    """The message in a header and a body whose lengths were checked by `lengths`.

    Raises:
        WireError: anything else than exactly one well-formed frame.
    """
    try:
        header = json.loads(head.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite, parse_int=_bounded)
        if b"\\ud" in head.lower():
            header = _printable(header)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise WireError(f"the header is not JSON: {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise WireError("the header is not an object")
    described = header.pop("buffers", [])
    if not isinstance(described, list) or len(described) > caps.buffers:
        raise WireError("the list of buffers is missing or too long")
    buffers: list[Buffer] = []
    offset = 0
    for entry in described:
        buffer, offset = _buffer(entry, body, offset)
        buffers.append(buffer)
    if offset != len(body):
        raise WireError(f"the buffers describe {offset} bytes of a body of {len(body)}")
    return Message(header, tuple(buffers))


def _no_constant(text: str) -> float:
    # JSON has no NaN; Python's reader accepts it, and a header has no use for it.
    raise ValueError(text)


def _finite(text: str) -> float:
    # 1e999 is infinite to Python's reader.
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def _bounded(text: str) -> int:
    # More digits than an int64 has are no size, line, device or pid, and no float either.
    if len(text) > MAX_DIGITS:
        raise ValueError("too many digits")
    return int(text)


def _printable(value: Any) -> Any:
    # Half a surrogate pair is a string to Python that cannot be written to any file.
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_printable(each) for each in value]
    if isinstance(value, dict):
        return {_printable(key): _printable(each) for key, each in value.items()}
    return value


def _buffer(entry: object, body: bytes, offset: int) -> tuple[Buffer, int]:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape"}:
        raise WireError("a buffer is described by dtype and shape")
    name, shape = entry["dtype"], entry["shape"]
    if not isinstance(shape, list) or len(shape) > MAX_AXES or not all(type(n) is int and n >= 0 for n in shape):
        raise WireError("a shape is a short list of non-negative ints")
    # Python ints: a shape that lies cannot overflow the product.
    count = math.prod(shape)
    if math.prod(max(n, 1) for n in shape) > MAX_ELEMENTS:
        # Without elements, and yet with axes that NumPy cannot hold.
        raise WireError("a shape that no array has")
    if name == "bytes":
        if len(shape) != 1:
            raise WireError("bytes have one axis")
        end = offset + count
    elif isinstance(name, str) and name in DTYPES:
        end = offset + count * DTYPES[name].itemsize
    else:
        raise WireError("a dtype that may not cross")
    if end > len(body):
        raise WireError("a buffer reaches beyond the body")
    if name == "bytes":
        return body[offset:end], end
    if name == "bool" and body[offset:end].translate(None, b"\x00\x01"):
        # A byte other than 0 and 1 in a bool array is undefined in NumPy: comparisons of it may say anything.
        raise WireError("a bool is 0 or 1")
    array = np.frombuffer(body, dtype=DTYPES[name], count=count, offset=offset).reshape(shape)
    array.flags.writeable = False
    return array, end


def read_frame(read: Callable[[int], bytes], caps: Caps) -> Message | None:
    """The next frame from `read(n)`, which returns exactly n bytes, or fewer at the end; None at a clean end.

    Raises:
        WireError: the stream ends inside a frame, or what comes is none.
    """
    prefix = read(PREFIX.size)
    if not prefix:
        return None
    head_bytes, body_bytes = lengths(prefix, caps)
    head, body = read(head_bytes), read(body_bytes)
    if len(head) != head_bytes or len(body) != body_bytes:
        raise WireError("the stream ended inside a frame")
    return decode(head, body, caps)
