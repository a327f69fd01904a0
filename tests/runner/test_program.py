"""`judge.runner.program`: it runs what was exported, and refuses what was forged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from judge.runner.wire import Buffer, Message
from judge.sandbox.session import Session
from tests.support.inside import SETTINGS, Asked, child

HEAD = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("data",))
"""
X = {"name": "x", "type": "array", "dtype": "float32", "shape": [8, 2]}
LR = {"name": "lr", "type": "float", "value": 0.5}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SETTINGS) as opened:
        yield opened


@pytest.fixture
def program(session: Session) -> Iterator[Asked]:
    with child(session, "program", 8) as asked:
        yield asked


def blob(session: Session, body: str, *inputs: dict[str, Any], devices: int = 8) -> Buffer:
    given = inputs or (X, LR)
    with child(session, "export", devices) as export:
        export.load(HEAD + body, [str(each["name"]) for each in given])
        message = export.ask({"request": "export", "inputs": list(given)})
    assert "error" not in message.header, message.header
    return message.buffers[0]


def prepare(program: Asked, content: Buffer, inputs: Sequence[str] = ("x", "lr")) -> Message:
    header = {"request": "prepare", "program": 0, "inputs": list(inputs), "scalars": [], "static": []}
    return program.ask({**header, "line_file": "student.py"}, [content])


def run(program: Asked, cases: int, *stacked: Buffer) -> Message:
    return program.ask({"request": "run", "program": 0, "cases": cases}, list(stacked))


def test_stacked_cases_come_back_as_stacked_shards(session: Session, program: Asked) -> None:
    body = """
def solve(x, lr):
    def part(x): return lr * x, jax.lax.psum(x.sum(), "data")
    rows, total = jax.shard_map(part, mesh=mesh, in_specs=P("data"), out_specs=(P("data"), P()))(x)
    return {"rows": rows, "total": total}
"""
    prepare(program, blob(session, body))
    x = np.arange(48, dtype=np.float32).reshape(3, 8, 2)
    message = run(program, 3, x, np.array([1.0, 0.0, 2.0]))
    layout = message.header["layout"]
    assert [entry["key"] for entry in layout["outputs"]] == ["rows", "total"]
    rows, total = (entry["shards"] for entry in layout["outputs"])
    assert [(s["device"], s["index"][0]) for s in rows] == [(d, [d, d + 1]) for d in range(8)]
    assert [s["device"] for s in total] == list(range(8))
    assert np.array_equal(np.asarray(message.buffers[2])[:, 0], x[:, 2] * np.array([[1.0], [0.0], [2.0]]))
    assert np.array_equal(np.asarray(message.buffers[15]), x.sum((1, 2)))


def test_a_program_of_fewer_devices_says_so(session: Session, program: Asked) -> None:
    body = """
four = Mesh(np.array(jax.devices()[:4]), ("data",))
def solve(x, lr): return {"x": jax.shard_map(lambda x: x, mesh=four, in_specs=P("data"), out_specs=P("data"))(x)}
"""
    assert prepare(program, blob(session, body)).header["facts"]["devices"] == 4
    shards = run(program, 1, np.ones((1, 8, 2), np.float32), np.ones(1)).header["layout"]["outputs"][0]["shards"]
    assert [s["device"] for s in shards] == [0, 1, 2, 3]


def test_a_submission_with_64_bit_types_keeps_them(session: Session, program: Asked) -> None:
    body = "jax.config.update('jax_enable_x64', True)\ndef solve(x, lr): return {'x': x.astype('float64') * lr}"
    prepare(program, blob(session, body))
    message = run(program, 1, np.ones((1, 8, 2), np.float32), np.array([0.1]))
    assert message.header["layout"]["outputs"][0]["dtype"] == "float64"
    assert np.asarray(message.buffers[0]).flat[0] == np.float64(0.1)


def test_what_is_no_array_of_a_dict_is_named(session: Session, program: Asked) -> None:
    prepare(program, blob(session, "def solve(x, lr): return {'a': (x, x), 'b': None, 'c': x}"))
    layout = run(program, 1, np.ones((1, 8, 2), np.float32), np.ones(1)).header["layout"]
    assert [(entry["key"], entry["kind"]) for entry in layout["outputs"]] == [
        ("a", "tuple"),
        ("b", "NoneType"),
        ("c", "jax"),
    ]


def test_a_tuple_has_its_type_and_no_outputs(session: Session, program: Asked) -> None:
    prepare(program, blob(session, "def solve(x, lr): return x, lr"))
    assert run(program, 1, np.ones((1, 8, 2), np.float32), np.ones(1)).header["layout"] == {
        "type": "tuple",
        "outputs": [],
    }


def test_an_unused_input_is_still_an_argument(session: Session, program: Asked) -> None:
    prepare(program, blob(session, "def solve(x, lr): return {'r': lr * jnp.ones(2)}"))
    message = run(program, 2, np.ones((2, 8, 2), np.float32), np.array([3.0, 4.0]))
    assert np.array_equal(np.asarray(message.buffers[0]), [[3.0, 3.0], [4.0, 4.0]])


@pytest.mark.parametrize(
    "stacked",
    [
        (np.ones((1, 8, 3), np.float32), np.ones(1)),
        (np.ones((1, 8, 2), np.float64), np.ones(1)),
        (np.ones((2, 8, 2), np.float32), np.ones(1)),
        (np.ones((1, 8, 2), np.float32),),
    ],
)
def test_other_arguments_than_the_programs_are_refused(
    session: Session, program: Asked, stacked: tuple[Buffer, ...]
) -> None:
    prepare(program, blob(session, "def solve(x, lr): return {'x': x * lr}"))
    assert run(program, 1, *stacked).header["error"]["type"] == "Unreadable"


def test_a_program_with_other_arguments_than_the_problem_is_refused(session: Session, program: Asked) -> None:
    content = blob(session, "def solve(x, lr): return {'x': x * lr}")
    found = prepare(program, content, ("w", "x", "lr")).header["error"]
    assert found["message"] == "the program takes 2 arguments, not 3"


@pytest.mark.parametrize("content", [b"", b"\x00" * 64, b"no program at all" * 10])
def test_bytes_that_are_no_program_are_an_error(program: Asked, content: bytes) -> None:
    assert "error" in prepare(program, content).header


def test_a_program_for_more_devices_than_the_problem_is_refused(session: Session) -> None:
    content = blob(
        session, "def solve(x, lr): return {'x': jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P('data')))}"
    )
    with child(session, "program", 4) as program:
        assert "8 devices; there are 4" in prepare(program, content).header["error"]["message"]


def test_the_program_child_keeps_several_programs(session: Session, program: Asked) -> None:
    for number in (0, 1):
        content = blob(session, f"def solve(x, lr): return {{'x': x * {number + 2}}}")
        header = {"request": "prepare", "program": number, "inputs": ["x", "lr"], "scalars": [], "static": []}
        assert "facts" in program.ask({**header, "line_file": "student.py"}, [content]).header
    for number in (1, 0):
        header = {"request": "run", "program": number, "cases": 1}
        answer = program.ask(header, [np.ones((1, 8, 2), np.float32), np.ones(1)])
        assert np.asarray(answer.buffers[0]).flat[0] == number + 2
