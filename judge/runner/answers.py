"""What `solve` returned, as headers and buffers.

Everything here was looked up before a submission could replace it, and asks exact types: `isinstance` can be fooled by a
`__class__` property, and a dict subclass may answer differently each time. What this module says is a claim all the same.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from judge.runner.failure import name_of
from judge.runner.private import ArrayImpl
from judge.runner.wire import DTYPES, MAX_AXES

BYTES = 32 << 20
OUTPUTS = 64
KEY_CHARS = 200

_items = dict.items
# The accessors of C++: those of Python are built on each other, and fall together.
parts_of = ArrayImpl._arrays.fget
_sharding = ArrayImpl._sharding.fget
_aval = ArrayImpl.aval.fget
to_numpy = ArrayImpl._single_device_array_to_np_array_did_copy
_deleted = ArrayImpl.is_deleted
_wait = ArrayImpl.block_until_ready
_places = jax.sharding.Sharding.devices_indices_map
_ndarray = np.ndarray
_plain = np.array


def wait(out: object) -> None:
    """Block until every array in a dict, tuple or list is there; errors inside a computation surface here."""
    values: Any = ()
    if type(out) is dict:
        values = [value for _, value in _items(out)]
    elif type(out) in (tuple, list):
        values = out
    for value in values:
        if type(value) is ArrayImpl and not _deleted(value):
            _wait(value)


class Encoder:
    """Collects the outputs of one answer and their buffers, up to `BYTES`: what is beyond has no shards."""

    def __init__(self) -> None:
        self.buffers: list[NDArray[np.generic] | bytes] = []
        self._left = BYTES

    def answer(self, out: object) -> dict[str, Any]:
        """`answer` of the protocol."""
        if type(out) is not dict:
            return {"type": name_of(type(out)), "outputs": []}
        outputs = []
        for number, (key, value) in enumerate(list(_items(out))[:OUTPUTS]):
            outputs.append({"key": key_text(key, number), **self.output(value)})
        return {"type": "dict", "outputs": outputs}

    def output(self, value: object) -> dict[str, Any]:
        """One output without its key."""
        if type(value) is ArrayImpl:
            if _deleted(value):
                return _other("deleted jax.Array")
            return self._array(value)
        if type(value) is _ndarray:
            return self._numpy(value)
        return _other(name_of(type(value)))

    def _array(self, array: Any) -> dict[str, Any]:
        shape, dtype = _aval(array).shape, str(_aval(array).dtype.name)
        shards: list[dict[str, Any]] = []
        if dtype in DTYPES and len(shape) <= MAX_AXES:
            size = sum(math.prod(_aval(part).shape) * DTYPES[dtype].itemsize for part in parts_of(array))
            if self._fits(size):
                places = _places(_sharding(array), shape)
                device: Any
                for part in parts_of(array):
                    (device,) = _places(_sharding(part), _aval(part).shape)
                    shards.append({"device": int(device.id), "index": spans(places[device], shape)})
                    self.buffers.append(to_numpy(part)[0])
        return {"kind": "jax", "dtype": dtype, "shape": list(shape), "shards": shards}

    def _numpy(self, array: NDArray[np.generic]) -> dict[str, Any]:
        shape, dtype = array.shape, str(array.dtype.name)
        shards: list[dict[str, Any]] = []
        if dtype in DTYPES and len(shape) <= MAX_AXES and self._fits(array.nbytes):
            shards.append({"device": -1, "index": [[0, extent] for extent in shape]})
            # A buffer of bools may hold other bytes than 0 and 1, and the array may change once it is returned.
            self.buffers.append(_plain(array != 0 if dtype == "bool" else array))
        return {"kind": "numpy", "dtype": dtype[:KEY_CHARS], "shape": list(shape[:MAX_AXES]), "shards": shards}

    def _fits(self, size: int) -> bool:
        if size > self._left:
            return False
        self._left -= size
        return True


def spans(index: tuple[slice, ...], shape: tuple[int, ...]) -> list[list[int]]:
    """Slices of a shard as [start, stop] an axis."""
    return [list(part.indices(extent)[:2]) for part, extent in zip(index, shape, strict=True)]


def key_text(key: object, number: int) -> str:
    """A key as text: itself when it is a string, else its type and place, which no output is called."""
    if isinstance(key, str) and type(key) in (str, np.str_):
        text = str.__getitem__(key, slice(KEY_CHARS + 1))
        return text if len(text) <= KEY_CHARS else f"{text[:KEY_CHARS]}... (key {number + 1})"
    return f"<{name_of(type(key))}, key {number + 1}>"


def _other(kind: str) -> dict[str, Any]:
    return {"kind": kind, "dtype": "", "shape": [], "shards": []}


def describe_tree(tree: Any) -> tuple[str, list[tuple[str, int | str]]]:
    """Of the tree of a program's results: the type of the whole, and a dict's (key, leaf index or name of a type)."""
    whole = jax.tree.unflatten(tree, range(tree.num_leaves))
    if type(whole) is not dict:
        return name_of(type(whole)), []
    entries: list[tuple[str, int | str]] = []
    for number, (key, value) in enumerate(whole.items()):
        entries.append((key_text(key, number), value if type(value) is int else name_of(type(value))))
    return "dict", entries
