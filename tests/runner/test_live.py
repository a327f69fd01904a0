"""`judge.runner.live` in children of a session: real processes, real JAX, eight devices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from judge.model.verdict import Verdict
from judge.runner.wire import Message
from judge.sandbox.session import ChildEnded, Session
from tests.support.inside import SETTINGS, Asked, child

X = np.arange(6, dtype=np.float32).reshape(3, 2)
ARRAY = {"name": "x", "type": "array"}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SETTINGS) as opened:
        yield opened


@pytest.fixture
def live(session: Session) -> Iterator[Asked]:
    with child(session, "live", 8) as asked:
        yield asked


def error(message: Message) -> dict[str, Any]:
    found = message.header["error"]
    assert isinstance(found, dict)
    return found


def outputs(message: Message) -> dict[str, Any]:
    return {entry["key"]: entry for entry in message.header["answer"]["outputs"]}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1", "must define solve(x, lr)"),
        ("solve = 3", "'solve' is not a function"),
        ("def solve(x): ...", "solve(x) cannot be called with 2 positional arguments; it must be solve(x, lr)"),
        ("def solve(x, *, lr): ...", "cannot be called with 2 positional"),
    ],
)
def test_a_file_without_a_usable_solve_is_told_what_it_must_define(live: Asked, source: str, said: str) -> None:
    found = error(live.load(source, ["x", "lr"]))
    assert found["type"] == "LoadError"
    assert said in found["message"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("async def solve(lr): ...", "is async"),
        ("def solve(lr): yield lr", "is a generator"),
        ("async def solve(lr): yield lr", "is an async generator"),
    ],
)
def test_a_solve_that_must_be_awaited_or_iterated_loads_and_raises_when_it_is_called(
    live: Asked, source: str, said: str
) -> None:
    assert live.load(source, ["lr"]).header["loaded"]
    found = error(live.call({"name": "lr", "type": "float", "value": 1.0}))
    assert found["type"] == "TypeError"
    assert said in found["message"]


@pytest.mark.parametrize(
    "source",
    [
        "def solve(x): return 1\ndef solve(x, lr): return {}",
        "def solve(*args): return {}",
        "import jax\n@jax.jit\ndef solve(x, lr): return {}",
        """
class Step:
    def __call__(self, *a): return {}
    def __getattr__(self, k): raise AttributeError(k)
solve = Step()
""",
        "import functools\nsolve = functools.partial(lambda k, x, lr: {}, 1)",
    ],
)
def test_anything_that_can_be_called_with_the_inputs_by_position_is_a_solve(live: Asked, source: str) -> None:
    assert live.load(source, ["x", "lr"]).header["loaded"] is True


def test_an_exception_names_the_last_line_of_the_students_own_file(live: Asked) -> None:
    live.load("import jax.numpy as jnp\ndef solve(x):\n    return jnp.dot(x, x)  # wrong\n", ["x"])
    found = error(live.call(ARRAY, arrays=[X]))
    assert (found["type"], found["line"], found["text"]) == ("TypeError", 3, "return jnp.dot(x, x)  # wrong")


def test_a_syntax_error_names_its_line(live: Asked) -> None:
    found = error(live.load("x = 1\ndef solve(x)\n    pass\n", ["x"]))
    assert (found["type"], found["line"], found["text"]) == ("SyntaxError", 2, "def solve(x)")


def test_a_message_is_cut_and_its_addresses_are_taken_out(live: Asked) -> None:
    live.load("def solve(x):\n    raise ValueError(f'{object()!r} ' + 'y' * 100_000)\n", ["x"])
    found = error(live.call(ARRAY, arrays=[X]))
    assert found["message"].startswith("<object object at 0x...> yyy")
    assert len(found["message"]) == 2000


def test_an_exception_whose_text_raises_has_an_empty_message(live: Asked) -> None:
    live.load("class Bad(Exception):\n    def __str__(self): raise SystemExit\ndef solve(x): raise Bad\n", ["x"])
    found = error(live.call(ARRAY, arrays=[X]))
    assert (found["type"], found["message"]) == ("Bad", "")


def test_no_file_that_a_student_names_is_opened_for_a_traceback(live: Asked) -> None:
    source = "def solve(x):\n    exec(compile('raise KeyError(1)', '/etc/hostname', 'exec'))\n"
    live.load(source, ["x"])
    found = error(live.call(ARRAY, arrays=[X]))
    assert (found["type"], found["line"]) == ("KeyError", 2)


@pytest.mark.parametrize("statement", ["raise SystemExit(3)", "import sys; sys.exit(3)", "import os; os._exit(3)"])
def test_an_exit_at_import_ends_the_process_with_its_status(live: Asked, statement: str) -> None:
    with pytest.raises(ChildEnded) as caught:
        live.load(statement, ["x"])
    assert caught.value.ended.verdict is Verdict.EXITED
    assert "status 3" in caught.value.ended.detail


def test_a_keyboard_interrupt_inside_solve_ends_the_process(live: Asked) -> None:
    live.load("def solve(x): raise KeyboardInterrupt", ["x"])
    with pytest.raises(ChildEnded) as caught:
        live.call(ARRAY, arrays=[X])
    assert caught.value.ended.verdict is Verdict.EXITED


def test_a_module_is_not_main_and_does_not_stand_in_for_a_library(live: Asked) -> None:
    source = "import jax.numpy, sys\nassert __name__ == 'submission_jax'\nassert sys.modules[__name__].__file__ == 'jax.py'\n"
    loaded = live.load(source + "def solve(x): return {'x': x}", ["x"], filename="jax.py")
    assert loaded.header["loaded"] is True


def test_inputs_are_fresh_uncommitted_arrays_that_may_be_donated(live: Asked) -> None:
    source = """
import functools, jax
@functools.partial(jax.jit, donate_argnums=0)
def double(x): return x + x
def solve(x, lr, steps, counts):
    assert type(lr) is float and type(steps) is int and counts == (3, 1) and not x._committed
    return {"x": double(x), "gone": x}
"""
    live.load(source, ["x", "lr", "steps", "counts"])
    others = (
        {"name": "lr", "type": "float", "value": 1.0},
        {"name": "steps", "type": "int", "value": 2},
        {"name": "counts", "type": "ints", "value": [3, 1]},
    )
    for _ in range(2):
        message = live.call(ARRAY, *others, arrays=[X])
        assert np.array_equal(np.asarray(message.buffers[0]), 2 * X)
        assert outputs(message)["gone"]["kind"] == "deleted jax.Array"


def test_a_mesh_set_at_import_is_there_in_every_call_and_one_set_in_a_call_is_not_kept(live: Asked) -> None:
    source = """
import jax, numpy as np
from jax.sharding import AxisType
jax.set_mesh(jax.make_mesh((8,), ("a",), axis_types=(AxisType.Auto,)))
def solve(x):
    assert x.sharding.device_set == {jax.devices()[0]}
    names = jax.sharding.get_mesh().axis_names
    jax.set_mesh(jax.make_mesh((8,), ("leaked",)))
    return {"right": np.array(names == ("a",))}
"""
    live.load(source, ["x"])
    for _ in range(2):
        assert np.asarray(live.call(ARRAY, arrays=[X]).buffers[0]).item() is True


def test_every_shard_is_told_with_its_device_and_place(live: Asked) -> None:
    source = """
import jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("a",))
def solve(x):
    return {"split": jax.device_put(np.arange(16.0, dtype=np.float32), NamedSharding(mesh, P("a"))),
            "all": jax.device_put(np.float32(2), NamedSharding(mesh, P())), "one": x, "numpy": np.arange(3)}
"""
    live.load(source, ["x"])
    message = live.call(ARRAY, arrays=[X])
    found = outputs(message)
    assert [(s["device"], s["index"]) for s in found["split"]["shards"]] == [
        (d, [[2 * d, 2 * d + 2]]) for d in range(8)
    ]
    assert [s["device"] for s in found["all"]["shards"]] == list(range(8))
    assert [(s["device"], s["index"]) for s in found["one"]["shards"]] == [(0, [[0, 3], [0, 2]])]
    assert [(s["device"], s["index"]) for s in found["numpy"]["shards"]] == [(-1, [[0, 3]])]
    assert len(message.buffers) == 18
    assert np.array_equal(np.asarray(message.buffers[3]), [6.0, 7.0])


def test_copies_that_differ_come_back_different(live: Asked) -> None:
    source = """
import jax, numpy as np
from jax.sharding import PartitionSpec as P
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("a",))
def solve(x):
    f = jax.shard_map(lambda: jax.lax.axis_index("a"), mesh=mesh, in_specs=(), out_specs=P(), check_vma=False)
    return {"index": jax.jit(f)()}
"""
    live.load(source, ["x"])
    message = live.call(ARRAY, arrays=[X])
    assert [np.asarray(buffer).item() for buffer in message.buffers] == list(range(8))


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        ("None", "NoneType"),
        ("(x, x)", "tuple"),
        ("type('dict', (dict,), {})(x=x)", "dict"),
        ("__import__('collections').OrderedDict(x=x)", "OrderedDict"),
    ],
)
def test_only_an_exact_dict_has_outputs(live: Asked, returned: str, kind: str) -> None:
    live.load(f"def solve(x): return {returned}", ["x"])
    answer = live.call(ARRAY, arrays=[X]).header["answer"]
    assert answer == {"type": kind, "outputs": []}


def test_strange_keys_and_values_are_named_and_not_asked(live: Asked) -> None:
    source = """
class Array:
    __class__ = property(lambda self: __import__("numpy").ndarray)
    def __getattr__(self, name): raise SystemExit(9)
class Key(str):
    def __str__(self): raise SystemExit(9)
    def __repr__(self): raise SystemExit(9)
def solve(x):
    out = {"w": Array(), 3: x, None: x, Key("b"): x, "k" * 1000: 1.5}
    out["self"] = out
    return out
"""
    live.load(source, ["x"])
    found = outputs(live.call(ARRAY, arrays=[X]))
    assert list(found) == ["w", "<int, key 2>", "<NoneType, key 3>", "<Key, key 4>", "k" * 200 + "... (key 5)", "self"]
    assert [entry["kind"] for entry in found.values()] == ["Array", "jax", "jax", "jax", "float", "dict"]


def test_what_is_too_big_or_of_another_dtype_comes_without_shards(live: Asked) -> None:
    source = """
import jax.numpy as jnp, numpy as np
def solve(x): return {"big": np.zeros((1 << 26,), np.int8), "half": jnp.ones(2, jnp.bfloat16), "text": np.array(["a"])}
"""
    live.load(source, ["x"])
    message = live.call(ARRAY, arrays=[X])
    found = outputs(message)
    assert not message.buffers
    assert (found["big"]["dtype"], found["big"]["shape"], found["big"]["shards"]) == ("int8", [1 << 26], [])
    assert (found["half"]["dtype"], found["half"]["shape"], found["half"]["shards"]) == ("bfloat16", [2], [])
    assert found["text"]["shards"] == []


def test_replacing_the_methods_of_arrays_changes_nothing(live: Asked) -> None:
    source = """
import jax, numpy as np
from jax._src.array import ArrayImpl
def solve(x):
    for name in ("addressable_shards", "shape", "dtype", "_value", "is_deleted", "block_until_ready", "sharding", "_arrays"):
        setattr(ArrayImpl, name, property(lambda self: 7))
    np.array = np.asarray = lambda *a, **k: 7
    return {"x": x}
"""
    live.load(source, ["x"])
    message = live.call(ARRAY, arrays=[X])
    assert outputs(message)["x"]["shape"] == [3, 2]
    assert np.array_equal(np.asarray(message.buffers[0]), X)


def test_an_error_inside_a_computation_surfaces_in_the_call_that_made_it(live: Asked) -> None:
    source = """
import jax, numpy as np
def bad(x): raise ValueError("inside")
def solve(x): return {"x": jax.jit(lambda x: jax.pure_callback(bad, jax.ShapeDtypeStruct((3, 2), np.float32), x))(x)}
"""
    live.load(source, ["x"])
    assert "inside" in error(live.call(ARRAY, arrays=[X]))["message"]


def test_modules_compiled_since_the_import_are_sent_those_of_several_devices_first(live: Asked) -> None:
    source = """
import jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("a",))
@jax.jit
def alone(x): return x * 3
@jax.jit
def wide(x): return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("a"))).sum()
def solve(x): return {"a": alone(x), "b": wide(np.ones(8, np.float32))}
"""
    live.load(source, ["x"])
    live.call(ARRAY, arrays=[X])
    message = live.ask({"request": "modules"})
    modules = [buffer for buffer in message.buffers if isinstance(buffer, bytes)]
    assert message.header["modules"] == len(modules) == len(set(modules)) > 1
    assert b"wide" in modules[0]
