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
from judge.sandbox.fields import Malformed, integer, items, mapping, one_of, pair, text

MAX_OUTPUTS = 64
MAX_SHARDS = 4096
MAX_DEVICE = 1 << 16
MAX_EXTENT = 1 << 40
MESSAGE_CHARS = 2000
KEY = re.compile(r"[0-9a-f]{64}")


def raised(header: Mapping[str, Any]) -> Raised | None:
    """The error of an answer that failed, None where it did not."""
    error = header.get("error")
    if error is None:
        return None
    if not isinstance(error, dict):
        raise Malformed("an error that is no object")
    line = integer(error.get("line"), "a line", 1 << 31)
    return Raised(
        # A type may be called anything, lines of a forged report included.
        " ".join(text(error.get("type"), "the type of an error").split()),
        text(error.get("message"), "a message", MESSAGE_CHARS),
        line,
        text(error.get("text"), "a line of the file"),
    )


def array(header: object, left: list[Buffer]) -> OutputArray:
    """One array without its key; takes its buffers off `left`."""
    return _arrays(mapping(header, "an array"), left, None)[0]


def answer(header: object, buffers: Sequence[Buffer]) -> Answer:
    """The `answer` of a live call."""
    left = list(buffers)
    found = leading_answer(header, left)
    if left:
        raise Malformed("more buffers than shards")
    return found


def leading_answer(header: object, left: list[Buffer]) -> Answer:
    """An answer whose buffers come first; takes them off `left`."""
    return _answers(header, left, None)[0]


def layout(header: object, buffers: Sequence[Buffer], cases: int) -> list[Answer]:
    """The answers of the `cases` of one run of a program, in order."""
    left = list(buffers)
    found = _answers(header, left, cases)
    if left:
        raise Malformed("more buffers than shards")
    return found


def facts(header: object, devices: int, inputs: Sequence[str] | None) -> Facts:
    """The `facts` of a program. `inputs` are the names that it may use; None for a module of a live run."""
    given = mapping(header, "facts")
    return Facts(
        devices=integer(given.get("devices"), "a count of devices", devices, least=1),
        manual_regions=integer(given.get("manual_regions"), "a count of manual regions", 1 << 20),
        collectives=tuple(_collective(entry) for entry in items(given.get("collectives"), "collectives")),
        splits=tuple(_input_split(entry, inputs) for entry in items(given.get("splits"), "splits")),
        paths=tuple(_path(entry, inputs) for entry in items(given.get("paths"), "paths")),
    )


def scalars(header: object, sent: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The floats that an export kept, which must be among those `sent`, with the same values."""
    given = mapping(header, "scalars")
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
    keys = [text(key, "a key") for key in items(header.get("keys"), "keys")]
    found = [buffer for buffer in buffers if isinstance(buffer, bytes)]
    if len(found) != len(buffers) or len(keys) != len(found) or not all(map(KEY.fullmatch, keys)):
        raise Malformed("executables are as many buffers of bytes as keys")
    return dict(zip(map(bytes.fromhex, keys), found, strict=True))


def _answers(header: object, left: list[Buffer], cases: int | None) -> list[Answer]:
    given = mapping(header, "an answer")
    kind = text(given.get("type"), "the type of an answer")
    entries = items(given.get("outputs"), "outputs", MAX_OUTPUTS)
    if entries and kind != "dict":
        raise Malformed("outputs of something that is no dict")
    count = 1 if cases is None else cases
    outputs: list[dict[str, OutputArray]] = [{} for _ in range(count)]
    for entry in entries:
        output = mapping(entry, "an output")
        key = text(output.get("key"), "a key")
        if key in outputs[0]:
            raise Malformed("a key that comes twice")
        for place, value in enumerate(_arrays(output, left, cases)):
            outputs[place][key] = value
    return [Answer(kind, each) for each in outputs]


def _arrays(output: Mapping[str, Any], left: list[Buffer], cases: int | None) -> list[OutputArray]:
    """One output of each case; takes its buffers off `left`."""
    kind, dtype = text(output.get("kind"), "a kind"), text(output.get("dtype"), "a dtype")
    shape = tuple(integer(n, "an extent", MAX_EXTENT) for n in items(output.get("shape"), "a shape", MAX_AXES))
    described = [mapping(entry, "a shard") for entry in items(output.get("shards"), "shards", MAX_SHARDS)]
    if described and (kind not in ("jax", "numpy") or dtype not in DTYPES):
        raise Malformed("shards of something that has none")
    if kind == "numpy" and len(described) > 1:
        raise Malformed("a NumPy array in several parts")
    count = 1 if cases is None else cases
    shards: list[list[Shard]] = [[] for _ in range(count)]
    seen: set[int] = set()
    for entry in described:
        device = -1 if kind == "numpy" else integer(entry.get("device"), "a device", MAX_DEVICE)
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
    spans = items(value, "an index", MAX_AXES)
    if len(spans) != len(shape):
        raise Malformed("an index with other axes than the array")
    found = []
    for span, extent in zip(spans, shape, strict=True):
        start, stop = (integer(n, "a bound", extent) for n in pair(span))
        if start > stop:
            raise Malformed("an index that ends before it begins")
        found.append((start, stop))
    return tuple(found)


def _collective(entry: object) -> Collective:
    given = mapping(entry, "a collective")
    groups = tuple(
        tuple(integer(device, "a device", MAX_DEVICE) for device in items(group, "a group"))
        for group in items(given.get("groups"), "groups")
    )
    return Collective(text(given.get("op"), "a collective"), groups, integer(given.get("line"), "a line", 1 << 31))


def _input_split(entry: object, inputs: Sequence[str] | None) -> InputSplit:
    given = mapping(entry, "a split")
    return InputSplit(
        _input(given.get("input"), inputs),
        integer(given.get("axis"), "an axis", MAX_AXES),
        integer(given.get("parts"), "a count of parts", MAX_EXTENT, least=1),
        one_of(given.get("by"), ("manual", "auto")),
        integer(given.get("line"), "a line", 1 << 31),
    )


def _path(entry: object, inputs: Sequence[str] | None) -> Path:
    given = mapping(entry, "a path")
    reduced = given.get("reduced")
    if type(reduced) is not bool:
        raise Malformed("a path is reduced or not")
    split = one_of(given.get("split"), ("none", "manual", "auto"))
    return Path(text(given.get("output"), "an output"), _input(given.get("input"), inputs), split, reduced)


def _input(value: object, inputs: Sequence[str] | None) -> str:
    name = text(value, "an input")
    if inputs is not None and name not in inputs:
        raise Malformed("an input that the problem does not have")
    return name
