"""Replica groups in all their spellings, as tuples of device numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Groups = tuple[tuple[int, ...], ...]
#: Names and sizes of a mesh's axes, in order.
Axes = tuple[tuple[str, int], ...]

MAX_DEVICES = 4096

_IOTA = re.compile(r"\[([\d,\s]+)\]\s*<=\s*\[([\d,\s]+)\](?:\s*T\(([\d,\s]+)\))?")
_AXIS = re.compile(r"['\"]([^'\"]*)['\"]\s*(?:=|,\s*size\s*=)\s*(\d+)")
_INLINE_MESH = re.compile(r"mesh\s*<?(?:axes\s*=\s*)?\[([^\]]*)\]>?")
_MESH_NAME = re.compile(r"@\"?([A-Za-z0-9_.$-]+)\"?")
_REFERENCE = re.compile(r"['\"]([^'\"]+)['\"]")
_PART_OF_AXIS = re.compile(r"\(\d+\)\s*\d+|sub_axis")
_NUMBERS = re.compile(r"\[([\d,\s-]*)\]|\{([\d,\s-]*)\}")


def of_rows(rows: Sequence[Sequence[int]]) -> Groups:
    """Groups of a dense array; -1 pads the shorter ones."""
    return tuple(tuple(int(d) for d in row if d >= 0) for row in rows)


def parse(text: str, meshes: Mapping[str, Axes]) -> Groups:
    """Groups of the text of an attribute: `dense<...>`, `{{0,1},{2,3}}`, `[2,4]<=[8]T(..)`, or axes of a mesh.

    Unknown spellings give no groups: a reduction over unknown devices reduces nothing.
    """
    if iota := _IOTA.search(text):
        return _of_iota(*iota.groups())
    if "mesh" in text or "@" in text:
        return _of_mesh(text, meshes)
    if text.startswith("dense<") and "[" not in text:
        splat = re.match(r"dense<(\d+)>", text)
        return ((int(splat[1]),),) if splat else ()
    found = [a or b for a, b in _NUMBERS.findall(text.split(":", maxsplit=1)[0])]
    return of_rows([[int(n) for n in row.split(",")] for row in found if row.strip()])


def over_axes(mesh: Axes, names: Sequence[str]) -> Groups:
    """Devices that differ only in the given axes of a mesh, device numbers being in row-major order."""
    sizes = [size for _, size in mesh]
    known = [name for name, _ in mesh]
    if not sizes or any(name not in known for name in names) or math.prod(sizes) > MAX_DEVICES:
        return ()
    inside = [known.index(name) for name in names]
    outside = [axis for axis in range(len(sizes)) if axis not in inside]
    devices = np.arange(math.prod(sizes)).reshape(sizes).transpose(outside + inside)
    return of_rows(devices.reshape(-1, math.prod(sizes[axis] for axis in inside)).tolist())


def _of_iota(shape: str, reshape: str, transpose: str | None) -> Groups:
    counts, sizes = _ints(shape), _ints(reshape)
    if len(counts) != 2 or math.prod(counts) != math.prod(sizes) or math.prod(sizes) > MAX_DEVICES:
        return ()
    devices: Any = np.arange(math.prod(sizes)).reshape(sizes)
    if transpose:
        order = _ints(transpose)
        if sorted(order) != list(range(len(sizes))):
            return ()
        devices = devices.transpose(order)
    return of_rows(devices.reshape(counts).tolist())


def _of_mesh(text: str, meshes: Mapping[str, Axes]) -> Groups:
    if inline := _INLINE_MESH.search(text):
        mesh = tuple((name, int(size)) for name, size in _AXIS.findall(inline[1]))
        rest = text[inline.end() :]
    else:
        name = _MESH_NAME.search(text)
        if name is None or name[1] not in meshes:
            return ()
        mesh, rest = meshes[name[1]], text[name.end() :]
    if _PART_OF_AXIS.search(rest):
        # A part of an axis: rare, and not worth a guess.
        return ()
    names = _REFERENCE.findall(rest)
    if not names and (bare := re.search(r"\{([A-Za-z0-9_,\s]+)\}", rest)):
        names = [part.strip() for part in bare[1].split(",")]
    return over_axes(mesh, names) if names else ()


def _ints(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part.strip()]
