"""Values rebuilt from what a child sent. Nothing is taken over: every field is checked for type, bounds and agreement.

The headers are JSON and the buffers arrays of our own making, so what is left to distrust is what they say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.model.outcome import Answer, Collective, Facts, InputSplit, OutputArray, Path, Raised, Shard
from judge.runner.wire import DTYPES, MAX_AXES, Buffer

MAX_OUTPUTS = 64
MAX_SHARDS = 4096
MAX_DEVICE = 1 << 16
MAX_EXTENT = 1 << 40
MAX_ENTRIES = 4000
NAME_CHARS = 300
MESSAGE_CHARS = 2000
KEY = re.compile(r"[0-9a-f]{64}")


class Malformed(Exception):
    """An answer that is not what the protocol says. The child that sent it is not to be asked again."""


def raised(header: Mapping[str, Any]) -> Raised | None:
    """The error of an answer that failed, None where it did not."""
    error = header.get("error")
    if error is None:
        return None
    if not isinstance(error, dict):
        raise Malformed("an error that is no object")
    line = _int(error.get("line"), "a line", 1 << 31)
    return Raised(
        # A type may be called anything, lines of a forged report included.
        " ".join(_text(error.get("type"), "the type of an error").split()),
        _text(error.get("message"), "a message", MESSAGE_CHARS),
        line,
        _text(error.get("text"), "a line of the file"),
    )


def answer(header: object, buffers: Sequence[Buffer]) -> Answer:
    """The `answer` of a live call."""
    return _answers(header, buffers, None)[0]


def layout(header: object, buffers: Sequence[Buffer], cases: int) -> list[Answer]:
    """The answers of the `cases` of one run of a program, in order."""
    return _answers(header, buffers, cases)


def facts(header: object, devices: int, inputs: Sequence[str] | None) -> Facts:
    """The `facts` of a program. `inputs` are the names that it may use; None for a module of a live run."""
    given = _object(header, "facts")
    return Facts(
        devices=_int(given.get("devices"), "a count of devices", devices, least=1),
        manual_regions=_int(given.get("manual_regions"), "a count of manual regions", 1 << 20),
        collectives=tuple(_collective(entry) for entry in _list(given.get("collectives"), "collectives")),
        splits=tuple(_input_split(entry, inputs) for entry in _list(given.get("splits"), "splits")),
        paths=tuple(_path(entry, inputs) for entry in _list(given.get("paths"), "paths")),
    )


def scalars(header: object, sent: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The floats that an export kept, which must be among those `sent`, with the same values."""
    given = _object(header, "scalars")
    for name, value in given.items():
        if name not in sent or type(value) not in (int, float) or value != sent[name]:
            raise Malformed("a scalar that was not sent")
    return tuple((name, value) for name, value in sent.items() if name in given)


def blob(buffers: Sequence[Buffer]) -> bytes:
    """The one buffer of bytes that an export answers with."""
    if len(buffers) != 1 or not isinstance(buffers[0], bytes):
        raise Malformed("a program is one buffer of bytes")
    return buffers[0]


def blobs(header: Mapping[str, Any], buffers: Sequence[Buffer]) -> tuple[bytes, ...]:
    """The modules of a live run."""
    found = tuple(buffer for buffer in buffers if isinstance(buffer, bytes))
    if len(found) != len(buffers) or header.get("modules") != len(found):
        raise Malformed("modules are as many buffers of bytes as it says")
    return found


def keyed(header: Mapping[str, Any], buffers: Sequence[Buffer]) -> dict[bytes, bytes]:
    """Executables of a problem's own solution, by key."""
    keys = [_text(key, "a key") for key in _list(header.get("keys"), "keys", MAX_ENTRIES)]
    found = [buffer for buffer in buffers if isinstance(buffer, bytes)]
    if len(found) != len(buffers) or len(keys) != len(found) or not all(map(KEY.fullmatch, keys)):
        raise Malformed("executables are as many buffers of bytes as keys")
    return dict(zip(map(bytes.fromhex, keys), found, strict=True))


def _answers(header: object, buffers: Sequence[Buffer], cases: int | None) -> list[Answer]:
    given = _object(header, "an answer")
    kind = _text(given.get("type"), "the type of an answer")
    entries = _list(given.get("outputs"), "outputs", MAX_OUTPUTS)
    if entries and kind != "dict":
        raise Malformed("outputs of something that is no dict")
    left = list(buffers)
    count = 1 if cases is None else cases
    outputs: list[dict[str, OutputArray]] = [{} for _ in range(count)]
    for entry in entries:
        output = _object(entry, "an output")
        key = _text(output.get("key"), "a key")
        if key in outputs[0]:
            raise Malformed("a key that comes twice")
        for place, array in enumerate(_arrays(output, left, cases)):
            outputs[place][key] = array
    if left:
        raise Malformed("more buffers than shards")
    return [Answer(kind, each) for each in outputs]


def _arrays(output: Mapping[str, Any], left: list[Buffer], cases: int | None) -> list[OutputArray]:
    """One output of each case; takes its buffers off `left`."""
    kind, dtype = _text(output.get("kind"), "a kind"), _text(output.get("dtype"), "a dtype")
    shape = tuple(_int(n, "an extent", MAX_EXTENT) for n in _list(output.get("shape"), "a shape", MAX_AXES))
    described = [_object(entry, "a shard") for entry in _list(output.get("shards"), "shards", MAX_SHARDS)]
    if described and (kind not in ("jax", "numpy") or dtype not in DTYPES):
        raise Malformed("shards of something that has none")
    if kind == "numpy" and len(described) > 1:
        raise Malformed("a NumPy array in several parts")
    count = 1 if cases is None else cases
    shards: list[list[Shard]] = [[] for _ in range(count)]
    seen: set[int] = set()
    for entry in described:
        device = -1 if kind == "numpy" else _int(entry.get("device"), "a device", MAX_DEVICE)
        if device in seen or (kind == "numpy" and entry.get("device") != -1):
            raise Malformed("a device that holds two shards")
        seen.add(device)
        index = _index(entry.get("index"), shape)
        extents = tuple(stop - start for start, stop in index)
        data = _data(left, dtype, extents if cases is None else (cases, *extents))
        for place in range(count):
            shards[place].append(Shard(device, index, data if cases is None else _case(data, place)))
    return [OutputArray(kind, dtype, shape, tuple(each)) for each in shards]


def _case(data: NDArray[np.generic], place: int) -> NDArray[np.generic]:
    # An index with an Ellipsis keeps the part of a vector an array of no axes.
    part: NDArray[np.generic] = data[place, ...]
    return part


def _data(left: list[Buffer], dtype: str, shape: tuple[int, ...]) -> NDArray[np.generic]:
    if not left:
        raise Malformed("fewer buffers than shards")
    data = left.pop(0)
    if isinstance(data, bytes) or data.dtype.name != dtype or data.shape != shape:
        raise Malformed("a shard that is not what it says")
    return data


def _index(value: object, shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    spans = _list(value, "an index", MAX_AXES)
    if len(spans) != len(shape):
        raise Malformed("an index with other axes than the array")
    found = []
    for span, extent in zip(spans, shape, strict=True):
        start, stop = (_int(n, "a bound", extent) for n in _pair(span))
        if start > stop:
            raise Malformed("an index that ends before it begins")
        found.append((start, stop))
    return tuple(found)


def _collective(entry: object) -> Collective:
    given = _object(entry, "a collective")
    groups = tuple(
        tuple(_int(device, "a device", MAX_DEVICE) for device in _list(group, "a group"))
        for group in _list(given.get("groups"), "groups")
    )
    return Collective(_text(given.get("op"), "a collective"), groups, _int(given.get("line"), "a line", 1 << 31))


def _input_split(entry: object, inputs: Sequence[str] | None) -> InputSplit:
    given = _object(entry, "a split")
    return InputSplit(
        _input(given.get("input"), inputs),
        _int(given.get("axis"), "an axis", MAX_AXES),
        _int(given.get("parts"), "a count of parts", MAX_EXTENT, least=1),
        _one_of(given.get("by"), ("manual", "auto")),
        _int(given.get("line"), "a line", 1 << 31),
    )


def _path(entry: object, inputs: Sequence[str] | None) -> Path:
    given = _object(entry, "a path")
    reduced = given.get("reduced")
    if type(reduced) is not bool:
        raise Malformed("a path is reduced or not")
    split = _one_of(given.get("split"), ("none", "manual", "auto"))
    return Path(_text(given.get("output"), "an output"), _input(given.get("input"), inputs), split, reduced)


def _input(value: object, inputs: Sequence[str] | None) -> str:
    name = _text(value, "an input")
    if inputs is not None and name not in inputs:
        raise Malformed("an input that the problem does not have")
    return name


def _one_of(value: object, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise Malformed(f"a word other than {', '.join(allowed)}")
    return value


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"{what} that is no object")
    return value


def _list(value: object, what: str, most: int = MAX_ENTRIES) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise Malformed(f"{what} that is no list of at most {most}")
    return value


def _pair(value: object) -> list[Any]:
    pair = _list(value, "a span", 2)
    if len(pair) != 2:
        raise Malformed("a span that has no start and stop")
    return pair


def _int(value: object, what: str, most: int, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= most:
        raise Malformed(f"{what} that is no number from {least} to {most}")
    return value


def _text(value: object, what: str, most: int = NAME_CHARS) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{what} that is no text")
    # JSON can spell half of a surrogate pair, which no report could be encoded with.
    return value[:most].encode("utf-8", "replace").decode()
