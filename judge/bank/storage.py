"""A bank in a file: the SHA-256 of what follows, and one frame of `judge.runner.wire`."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from judge.model.case import Bank, Case, Signature, Value
from judge.runner import wire

VERSION = 2
DIGEST_BYTES = 32
CAPS = wire.Caps(header_bytes=64 << 20, body_bytes=4 << 30, buffers=1_000_000)


def digest_of(seed: int, cases: Sequence[Case], throwaways: Sequence[Case]) -> str:
    """SHA-256, in hexadecimal, over every part of a bank."""
    return hashlib.sha256(_encoded(seed, cases, throwaways)).hexdigest()


def dump_bank(bank: Bank) -> bytes:
    """The content of the file of `bank`. It holds the hidden cases: whoever writes it keeps it from students."""
    return bytes.fromhex(bank.digest) + _encoded(bank.seed, bank.cases, bank.throwaways)


def load_bank(path: Path) -> Bank | None:
    """The bank in a file of `dump_bank`; None where there is none, or a damaged one, or one of another version."""
    try:
        return read_bank(path.read_bytes())
    except OSError:
        return None


def read_bank(data: bytes) -> Bank | None:
    """The bank that `dump_bank` made these bytes of; None where they are damaged or of another version."""
    digest, frame = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if hashlib.sha256(frame).digest() != digest:
        return None
    try:
        message = wire.read_frame(io.BytesIO(frame).read, CAPS)
        if message is None or message.header.get("version") != VERSION:
            return None
        buffers = iter(message.buffers)
        cases = [_case(entry, buffers) for entry in message.header["cases"]]
        throwaways = [_case(entry, buffers) for entry in message.header["throwaways"]]
        return Bank(message.header["seed"], tuple(cases), tuple(throwaways), digest.hex())
    except (wire.WireError, LookupError, TypeError, ValueError, StopIteration):
        return None


def _encoded(seed: int, cases: Sequence[Case], throwaways: Sequence[Case]) -> bytes:
    described = [_described(case) for case in (*cases, *throwaways)]
    entries = [entry for entry, _ in described]
    buffers = [array for _, arrays in described for array in arrays]
    header = {"version": VERSION, "seed": seed, "cases": entries[: len(cases)], "throwaways": entries[len(cases) :]}
    return wire.encode(header, buffers)


def _described(case: Case) -> tuple[dict[str, Any], list[wire.Buffer]]:
    arrays: list[wire.Buffer] = [value for value in case.inputs.values() if isinstance(value, np.ndarray)]
    arrays += [*case.expected.values(), *case.tolerance.values()]
    return {
        "id": case.id,
        "group": case.group,
        "category": case.category,
        "stratum": case.stratum,
        "dims": [list(pair) for pair in case.signature.dims],
        "static": [[name, _plain(value)] for name, value in case.signature.static],
        "inputs": [[name, None if isinstance(v, np.ndarray) else _plain(v)] for name, v in case.inputs.items()],
        "outputs": list(case.expected),
    }, arrays


def _plain(value: float | int | tuple[int, ...]) -> object:
    return list(value) if isinstance(value, tuple) else value


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _case(entry: Mapping[str, Any], buffers: Iterator[wire.Buffer]) -> Case:
    inputs: dict[str, Value] = {
        name: np.asarray(next(buffers)) if value is None else _value(value) for name, value in entry["inputs"]
    }
    expected = {key: np.asarray(next(buffers)) for key in entry["outputs"]}
    tolerance = {key: np.asarray(next(buffers), np.float64) for key in entry["outputs"]}
    dims = tuple((name, size) for name, size in entry["dims"])
    static = tuple((name, _value(value)) for name, value in entry["static"])
    return Case(
        id=entry["id"],
        group=entry["group"],
        category=entry["category"],
        signature=Signature(dims, static),
        inputs=inputs,
        expected=expected,
        tolerance=tolerance,
        stratum=entry["stratum"],
    )
