"""What a judge and the workers of its cluster tell each other: bytes, and nothing that could be code.

order        JSON   before any work: the versions that must match, whether to go on unconfined
answer       JSON   to an order: the worker's versions, and what confines submissions there
course       frame  problems with their banks, once a run; a frame is `judge.runner.wire`'s
submission   frame  a task: the content of one file; whose it is stays with the judge
result       JSON   the record, or why there is none
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import bank as banks
from judge import store
from judge.errors import JudgeFault
from judge.load.problems import load_problem, needed
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.runner import wire
from judge.sandbox.layers import Layer, Layers

#: All that a problem needs to be graded with, wherever its folder is.
FILES = ("problem.yaml", *needed(None))

CAPS = wire.Caps(header_bytes=1 << 20, body_bytes=4 << 30, buffers=20_000)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker says of itself before it is given work."""

    versions: Mapping[str, str]
    layers: Layers


@dataclass(frozen=True, slots=True)
class Course:
    """What every submission of a run shares.

    Attributes:
        token: of the order that went before.
        unsafe: whether to go on where nothing confines.
        problems, cases: by slug.
        folders: by slug, where the problems are at the judge's.
    """

    token: str
    unsafe: bool
    problems: Mapping[str, Problem]
    cases: Mapping[str, Bank]
    folders: Mapping[str, str]


def pack_order(token: str, *, unsafe: bool) -> bytes:
    return _json({"token": token, "unsafe": unsafe})


def unpack_order(data: bytes) -> tuple[str, bool]:
    order = json.loads(data)
    return str(order["token"]), bool(order["unsafe"])


def pack_answer(versions: Mapping[str, str], layers: Layers) -> bytes:
    each = [{name: getattr(layer, name) for name in Layer.__slots__} for layer in layers.layers]
    return _json({"versions": dict(versions), "layers": each, "refusal": layers.refusal})


def unpack_answer(data: bytes) -> Answer | JudgeFault:
    """The answer, or the fault. Raises KeyError, TypeError or ValueError for what is neither."""
    answer = json.loads(data)
    if "fault" in answer:
        return JudgeFault(str(answer["fault"]))
    layers = tuple(Layer(**layer) for layer in answer["layers"])
    return Answer(dict(answer["versions"]), Layers(layers, str(answer["refusal"])))


def pack_course(token: str, problems: Mapping[str, Problem], cases: Mapping[str, Bank], *, unsafe: bool) -> bytes:
    """The course in a frame. It holds the hidden cases.

    Raises:
        JudgeFault: a file of a problem cannot be read any more.
    """
    described, buffers = [], []
    for slug, problem in problems.items():
        described.append({"slug": slug, "folder": str(problem.folder), "digest": problem.digest})
        try:
            buffers += [(problem.folder / name).read_bytes() for name in FILES]
        except OSError as error:
            raise JudgeFault(f"{error.filename} cannot be read ({error.strerror}); grade again") from error
        buffers.append(banks.dump_bank(cases[slug]))
    return wire.encode({"token": token, "unsafe": unsafe, "problems": described}, buffers)


def unpack_course(data: bytes, folder: Path) -> Course:
    """The course, its problems written below `folder`, which is the caller's to delete.

    Raises:
        JudgeFault: what arrived is not what was sent.
        FaultyFile: a problem that was sound where it came from is not here.
    """
    message = _frame(data)
    rest = iter(message.buffers)
    problems: dict[str, Problem] = {}
    cases: dict[str, Bank] = {}
    folders: dict[str, str] = {}
    for described in message.header["problems"]:
        slug, place = described["slug"], folder / described["slug"]
        place.mkdir()
        for name in FILES:
            (place / name).write_bytes(_bytes(next(rest)))
        problem, bank = load_problem(place), banks.read_bank(_bytes(next(rest)))
        if bank is None or problem.digest != described["digest"]:
            raise JudgeFault(f"the problem {slug} did not arrive as it was sent; grade again")
        problems[slug], cases[slug], folders[slug] = problem, bank, described["folder"]
    return Course(message.header["token"], message.header["unsafe"], problems, cases, folders)


def pack_submission(submission: Submission) -> bytes:
    return wire.encode({"problem": submission.problem, "fault": submission.fault}, [submission.source])


def unpack_submission(data: bytes) -> Submission:
    message = _frame(data)
    source = _bytes(message.buffers[0])
    return Submission(
        student="",
        problem=message.header["problem"],
        file=Path(),
        source=source,
        sha256=hashlib.sha256(source).hexdigest(),
        fault=message.header["fault"],
    )


def pack_record(record: Record) -> bytes:
    return _json({"record": store.to_json(record)})


def pack_fault(why: str) -> bytes:
    """The judge, the machine or the author's code failed: there is no answer, or no record."""
    return _json({"fault": why})


def pack_stranger() -> bytes:
    """This process was given work and no order before: it is another one than that which answered."""
    return _json({"stranger": True})


def unpack_result(data: bytes) -> Record | JudgeFault | None:
    """The record, the fault, or None from a stranger. Raises KeyError, TypeError or ValueError for what is none of them."""
    result = json.loads(data)
    if "fault" in result:
        return JudgeFault(str(result["fault"]))
    return None if "stranger" in result else store.from_json(result["record"])


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=True, allow_nan=False).encode()


def _frame(data: bytes) -> wire.Message:
    try:
        message = wire.read_frame(io.BytesIO(data).read, CAPS)
    except wire.WireError as error:
        raise JudgeFault(f"what was sent to this worker is no frame ({error}); grade again") from error
    if message is None:
        raise JudgeFault("what was sent to this worker is empty; grade again")
    return message


def _bytes(buffer: wire.Buffer) -> bytes:
    assert isinstance(buffer, bytes), "only bytes are packed here"
    return buffer
