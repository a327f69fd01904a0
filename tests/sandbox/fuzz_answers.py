"""Coverage-guided fuzzing of all that reads a child's answer. Run as a program, with libFuzzer's options and a corpus:

    python -m tests.sandbox.fuzz_answers -runs=200000 corpus/

Whatever the bytes are, they are refused with `WireError` or `Malformed`, or become values that hold no more than was sent.
Bytes alone seldom make a frame, so most mutations are of the tree in its header, and the lengths before it are put right.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import atheris

with atheris.instrument_imports(include=["judge.runner.wire", "judge.sandbox.replies", "judge.checks.arrays"]):
    from judge.checks.arrays import whole
    from judge.runner import wire
    from judge.sandbox import replies
    from judge.sandbox.fields import Malformed
from judge.model.outcome import Answer

CAPS = wire.Caps(header_bytes=4096, body_bytes=4096, buffers=64)
CASES = 3
#: Put in the place of a number: what lies at a bound. And anywhere: what is of another type, and words that mean something.
NUMBERS = (-1, 0, 1, 2, 17, 4096, 1 << 20, 1 << 40, 1 << 63)
ODD = (*NUMBERS, None, True, 0.5, "", "jax", "numpy", "bool", "float32", "bytes")
REFUSED = (wire.WireError, Malformed)


def read(data: bytes) -> None:
    """One frame as any of the answers that a child may give."""
    rest = memoryview(data)

    def take(count: int) -> bytes:
        nonlocal rest
        taken, rest = rest[:count], rest[count:]
        return bytes(taken)

    try:
        message = wire.read_frame(take, CAPS)
    except wire.WireError:
        return
    if message is None:
        return
    header, buffers = message.header, message.buffers
    sent = sum(len(one) if isinstance(one, bytes) else one.nbytes for one in buffers)
    readers = (
        lambda: _small([replies.answer(header.get("answer"), buffers)], sent),
        lambda: _small(replies.layout(header.get("layout"), buffers, CASES), sent),
        lambda: replies.raised(header),
        lambda: replies.facts(header.get("facts"), 8, ["x"]),
        lambda: replies.scalars(header.get("scalars"), {"lr": 0.5}),
        lambda: replies.blob(buffers),
        lambda: replies.blobs(header, buffers),
    )
    for reader in readers:
        try:
            reader()
        except REFUSED:
            continue


def _small(answers: list[Answer], sent: int) -> None:
    held = 0
    for answer in answers:
        for output in answer.outputs.values():
            held += sum(0 if shard.data is None else shard.data.nbytes for shard in output.shards)
            made = whole(output)
            assert made is None or made.shape == output.shape, "a whole array has the shape that it claims"
            assert made is None or made.nbytes <= sent, "a claim takes no memory"
    assert held <= sent, "shards are views of what was sent"


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Another frame: one place of the header's tree changed, or bytes anywhere."""
    draw = random.Random(seed)
    try:
        head_bytes, body_bytes = wire.lengths(data[: wire.PREFIX.size], CAPS)
        body = data[wire.PREFIX.size + head_bytes :][:body_bytes]
        tree = json.loads(data[wire.PREFIX.size :][:head_bytes])
        places = list(_places(tree))
    except (wire.WireError, ValueError, RecursionError):
        places = []
    if not places or draw.random() < 0.2:
        return bytes(atheris.Mutate(data, most))
    for _ in range(draw.randint(1, 3)):
        _change(*draw.choice(places), draw, places)
    if draw.random() < 0.2:
        body = bytes(atheris.Mutate(body, CAPS.body_bytes))
    head = json.dumps(tree, separators=(",", ":")).encode()
    return (wire.PREFIX.pack(wire.MAGIC, len(head), len(body)) + head + body)[:most]


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every value in a tree."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _places(tree[key])


def _change(container: Any, key: Any, draw: random.Random, places: list[tuple[Any, Any]]) -> None:
    try:
        value = container[key]
        if draw.random() < 0.2:
            del container[key]
        elif draw.random() < 0.2 and isinstance(container, list):
            container.append(json.loads(json.dumps(value)))
        elif draw.random() < 0.7 and type(value) is int:
            container[key] = draw.choice((value - 1, value + 1, *NUMBERS))
        elif draw.random() < 0.3:
            other, at = draw.choice(places)
            container[key] = json.loads(json.dumps(other[at]))
        else:
            container[key] = draw.choice(ODD)
    except (KeyError, IndexError):
        # An earlier change took it away.
        return


if __name__ == "__main__":
    atheris.Setup(sys.argv, read, custom_mutator=mutate)
    atheris.Fuzz()
