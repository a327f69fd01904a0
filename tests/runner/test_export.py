"""`judge.runner.export`: what can be traced, and the help that it gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from judge.runner.wire import Message
from judge.sandbox.session import Session
from tests.support.inside import SETTINGS, Asked, child

X = {"name": "x", "type": "array", "dtype": "float32", "shape": [16, 3]}
LR = {"name": "lr", "type": "float", "value": 0.5}
HEAD = """
import jax, jax.numpy as jnp, numpy as np
from jax import device_put
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding
mesh = Mesh(np.array(jax.devices()), ("data",))
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SETTINGS) as opened:
        yield opened


@pytest.fixture
def export(session: Session) -> Iterator[Asked]:
    with child(session, "export", 8) as asked:
        yield asked


def exported(export: Asked, body: str, *inputs: dict[str, Any]) -> Message:
    given = inputs or (X, LR)
    assert export.load(HEAD + body, [str(each["name"]) for each in given]).header == {"id": 1, "loaded": True}
    return export.ask({"request": "export", "inputs": list(given)})


def facts_of(session: Session, message: Message, inputs: list[str], devices: int = 8) -> dict[str, Any]:
    assert "error" not in message.header, message.header
    with child(session, "program", devices) as program:
        header = {"request": "prepare", "program": 0, "inputs": inputs, "static": [], "line_file": "student.py"}
        answer = program.ask({**header, "scalars": list(message.header["scalars"])}, [message.buffers[0]])
    assert "error" not in answer.header, answer.header
    found = answer.header["facts"]
    assert isinstance(found, dict)
    return found


def test_a_float_is_traced_where_it_may_be(export: Asked) -> None:
    message = exported(export, "def solve(x, lr): return {'x': x * lr}")
    assert message.header["scalars"] == {}
    assert isinstance(message.buffers[0], bytes)


@pytest.mark.parametrize("use", ["float(lr)", "(1.0 if lr > 0.25 else 2.0)", "{0.5: 3.0}[lr]"])
def test_a_solution_that_needs_the_number_keeps_it(export: Asked, use: str) -> None:
    assert exported(export, f"def solve(x, lr): return {{'x': x * {use}}}").header["scalars"] == {"lr": 0.5}


@pytest.mark.parametrize(
    "line",
    [
        "x = np.asarray(x)",
        "x = np.array(x, np.float32)",
        "x = np.asarray(a=x, dtype='float32')",
        "x = np.ascontiguousarray(x)",
        "jax.debug.print('{x}', x=x)",
        "jax.debug.callback(print, x)",
        "x = device_put(x, NamedSharding(mesh, P('data')))",
        "x = device_put(x, jax.devices()[0])",
        "x = device_put(x)",
        "x = jax.device_put({'a': [x, lr]}, SingleDeviceSharding(jax.devices()[0]))['a'][0]",
        "assert type(np.asarray([1.0])) is np.ndarray and np.array(object=2).shape == ()",
    ],
)
def test_what_needs_help_is_traced(export: Asked, line: str) -> None:
    message = exported(export, f"def solve(x, lr):\n    {line}\n    return {{'x': x * lr}}")
    assert message.header.get("scalars") == {}, message.header


def test_values_are_not_there_to_be_printed(export: Asked) -> None:
    found = exported(export, "def solve(x, lr):\n    print(x.tolist())\n    return {'x': x}").header["error"]
    assert (found["type"], found["text"]) == ("ConcretizationTypeError", "print(x.tolist())")
    assert "/judge/" not in found["message"].replace("judge/runner", "")


def test_device_put_leaves_the_split_in_the_program_for_each_part_of_a_tree(export: Asked, session: Session) -> None:
    body = """
def solve(x, lr):
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    x, lr = device_put((x, lr), (rows, everywhere))
    return {"x": (x * lr).sum()}
"""
    found = facts_of(session, exported(export, body), ["x", "lr"])
    assert found["splits"] == [{"input": "x", "axis": 0, "parts": 8, "by": "auto", "line": 9}]


def test_device_put_to_an_explicit_mesh_makes_what_shard_map_asks_for(export: Asked, session: Session) -> None:
    body = """
explicit = jax.make_mesh((8,), ("data",))
def solve(x, lr):
    x = jax.device_put(x, NamedSharding(explicit, P("data", None)))
    f = jax.shard_map(lambda x: jax.lax.pmean(x.sum(0), "data"), mesh=explicit, in_specs=P("data", None), out_specs=P())
    return {"x": f(x)}
"""
    found = facts_of(session, exported(export, body), ["x", "lr"])
    assert {"output": "x", "input": "x", "split": "manual", "reduced": True} in found["paths"]


@pytest.mark.parametrize("axis_type", ["Auto", "Explicit"])
def test_a_mesh_that_is_set_inside_solve_names_its_devices(export: Asked, session: Session, axis_type: str) -> None:
    body = f"""
inner = jax.make_mesh((8,), ("data",), axis_types=(AxisType.{axis_type},))
def solve(x, lr):
    with jax.set_mesh(inner):
        if {axis_type == "Explicit"}:
            x = jax.reshard(x, P("data"))
        f = jax.shard_map(lambda x: jax.lax.psum(x.sum(), "data"), in_specs=P("data"), out_specs=P())
        return {{"x": f(x) * lr}}
"""
    found = facts_of(session, exported(export, body), ["x", "lr"])
    assert found["devices"] == 8
    assert {"output": "x", "input": "x", "split": "manual", "reduced": True} in found["paths"]


def test_a_callback_into_python_is_refused(export: Asked) -> None:
    body = (
        "def solve(x, lr): return {'x': jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((16, 3), np.float32), x)}"
    )
    found = exported(export, body).header["error"]
    assert "callback" in found["message"]


def test_static_values_are_plain_python(export: Asked) -> None:
    body = "def solve(x, counts, steps):\n    assert (counts, steps) == ((3, 13), 2) and type(steps) is int\n    return {'x': x}"
    counts = {"name": "counts", "type": "ints", "value": [3, 13]}
    message = exported(export, body, X, counts, {"name": "steps", "type": "int", "value": 2})
    assert message.header["scalars"] == {}


def test_a_second_shape_is_exported_by_the_same_process(export: Asked) -> None:
    first = exported(export, "@jax.jit\ndef solve(x, lr): return {'x': x * lr}")
    second = export.ask({"request": "export", "inputs": [{**X, "shape": [24, 5]}, LR]})
    assert first.buffers[0] != second.buffers[0]
