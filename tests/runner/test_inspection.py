"""`judge.runner.inspection`: what each device held, in the real sandbox and with real JAX, as the trusted side rebuilds it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from judge.model.case import Value
from judge.model.outcome import Answer, Raised
from judge.model.trace import Inspected, Step
from judge.model.verdict import Verdict
from judge.sandbox.inspections import run_inspections
from judge.sandbox.session import Session
from tests.support import exercises
from tests.support.inside import SETTINGS

SLUG = "shard-map-step"
PROBLEM = exercises.problem(SLUG)
X = np.arange(1, 9, dtype=np.float32).reshape(8, 1)
INPUTS: dict[str, Value] = {
    "w": np.zeros((1, 1), np.float32),
    "b": np.ones(1, np.float32),
    "x": X,
    "y": 2 * X,
    "lr": 0.5,
}
HEAD = """\
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("d",))
shared = lambda f: jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d"))
"""
LINES = HEAD.count("\n")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SETTINGS) as opened:
        yield opened


def seen(session: Session, body: str) -> Inspected:
    (found,) = run_inspections(session, PROBLEM, exercises.submission(SLUG, (HEAD + body).encode()), [INPUTS])
    return found


def step(found: Inspected, op: str = "", line: int = 0) -> Step:
    """The last step, of an operation or on a line of the body if they are given."""
    return [
        one
        for one in found.trace.steps
        if one.op == (op or one.op) and one.span.line == (LINES + line if line else one.span.line)
    ][-1]


def numbers(one: Step, moment: int = 0) -> list[float]:
    """The first element on each device."""
    return [float(shard.data.reshape(-1)[0]) for shard in one.moments[moment].held if shard.data is not None]


def test_a_shard_map_that_is_called_eagerly_shows_its_operands_and_each_value_by_device(session: Session) -> None:
    body = """\
def local(xs, ys):
    return lax.pmean(2 * xs, "d") + ys
def solve(w, b, x, y, lr):
    f = jax.shard_map(local, mesh=mesh, in_specs=(P("d"), P("d")), out_specs=P("d"))
    return {"loss": f(x, y)}
"""
    found = seen(session, body)
    entered = [one for one in found.trace.steps if one.op == "enter"]
    assert [(one.label, one.axes, one.span.line - LINES) for one in entered] == [
        ("xs", ("0:d",), 5),
        ("ys", ("0:d",), 5),
    ]
    assert numbers(entered[0]) == [1, 2, 3, 4, 5, 6, 7, 8]
    summed = step(found, "psum_invariant")
    assert (summed.axes, summed.groups, summed.manual) == (("d",), (tuple(range(8)),), True)
    assert numbers(found.trace.steps[summed.parents[0]]) == [2, 4, 6, 8, 10, 12, 14, 16]
    assert numbers(summed) == [72.0] * 8
    assert numbers(found.trace.steps[found.made["loss"][0]]) == [11, 13, 15, 17, 19, 21, 23, 25]


def test_the_shards_of_automatic_partitioning_are_those_that_the_partitioner_chose(session: Session) -> None:
    body = """\
rows = NamedSharding(mesh, P("d"))
@jax.jit
def f(x):
    x = lax.with_sharding_constraint(x, rows)
    return (x * 2).sum()
def solve(w, b, x, y, lr):
    return {"loss": f(x)}
"""
    doubled = step(seen(session, body), "mul")
    assert not doubled.manual
    assert doubled.shape == (8, 1)
    assert [shard.index[0] for shard in doubled.moments[0].held] == [(n, n + 1) for n in range(8)]
    assert numbers(doubled) == [2, 4, 6, 8, 10, 12, 14, 16]


def test_values_are_there_to_be_printed_branched_on_and_handed_to_numpy(session: Session) -> None:
    body = """\
def solve(w, b, x, y, lr):
    print(x.tolist())
    total = float(jnp.sum(x))
    return {"loss": jnp.asarray(np.asarray(x) * total) + (1 if total > 3 else 2)}
"""
    found = seen(session, body)
    assert isinstance(found.result, Answer)
    assert found.trace.notes == ()
    assert numbers(step(found, line=3)) == [36.0]
    assert numbers(step(found, line=4)) == [37.0]


def test_the_first_iterations_of_a_loop_and_its_last_are_kept(session: Session) -> None:
    body = """\
@shared
def f(x):
    def body(c, _):
        c = c + x.sum()
        return c, c
    return lax.scan(body, lax.pcast(0.0, "d", to="varying"), length=9)[0][None]
def solve(w, b, x, y, lr):
    return {"loss": f(x)}
"""
    found = seen(session, body)
    assert numbers(step(found, "loop")) == [9.0] * 8
    added = step(found, "add")
    assert [moment.iteration for moment in added.moments] == [(0,), (1,), (2,), (3,), (8,)]
    assert numbers(added, 1) == [2, 4, 6, 8, 10, 12, 14, 16]
    assert numbers(added, 4) == [9, 18, 27, 36, 45, 54, 63, 72]


def test_each_device_has_the_iterations_that_its_own_while_loop_ran(session: Session) -> None:
    body = """\
@shared
def f(x):
    return lax.while_loop(lambda c: c[0] < 4, lambda c: c * 2, x.ravel())
def solve(w, b, x, y, lr):
    return {"loss": f(x)}
"""
    found = seen(session, body)
    assert numbers(step(found, "loop")) == [2, 1, 1, 0, 0, 0, 0, 0]
    doubled = step(found, "mul")
    assert [[shard.device for shard in moment.held] for moment in doubled.moments] == [[0, 1, 2], [0]]
    assert (numbers(doubled), numbers(doubled, 1)) == ([2, 4, 6], [4])


def test_a_fori_loop_of_traced_length_is_followed(session: Session) -> None:
    body = """\
@jax.jit
def f(x):
    return lax.fori_loop(0, x[1, 0].astype(int),
        lambda i, c: c + 3, x[0, 0])
def solve(w, b, x, y, lr):
    return {"loss": f(x)}
"""
    found = seen(session, body)
    assert numbers(step(found, "loop")) == [2.0]
    assert [numbers(step(found, "add", 4), moment) for moment in range(2)] == [[4.0], [7.0]]


def test_only_devices_that_took_a_branch_hold_its_values(session: Session) -> None:
    body = """\
@shared
def f(x):
    return lax.cond(lax.axis_index("d") > 5,
        lambda x: x * 10,
        lambda x: x - 1, x)
def solve(w, b, x, y, lr):
    return {"loss": f(x)}
"""
    found = seen(session, body)
    assert numbers(step(found, "branch")) == [0] * 6 + [1] * 2
    assert [shard.device for shard in step(found, "mul").moments[0].held] == [6, 7]
    assert numbers(step(found, "mul")) == [70, 80]
    assert numbers(step(found, "sub")) == [0, 1, 2, 3, 4, 5]


def test_a_region_inside_a_loop_keeps_the_values_of_each_device(session: Session) -> None:
    body = """\
def local(w, x):
    return lax.pmean(lax.fori_loop(0, 2, lambda i, c: c + x.sum(), w), "d")
share = jax.shard_map(local, mesh=mesh, in_specs=(P(), P("d")), out_specs=P(), check_vma=False)
@jax.jit
def f(w, x):
    return lax.scan(lambda w, _: (share(w, x), w), w, length=3)[0]
def solve(w, b, x, y, lr):
    return {"loss": f(w[0, 0], x)}
"""
    found = seen(session, body)
    added = next(one for one in found.trace.steps if one.op == "add" and one.shape == () and one.dtype == "float32")
    assert [moment.iteration for moment in added.moments][:3] == [(0, 0), (0, 1), (1, 0)]
    assert numbers(added, 1) == [2, 4, 6, 8, 10, 12, 14, 16]
    assert numbers(step(found, "psum"), 2) == [8 * 27.0] * 8


def test_pmap_custom_derivatives_and_rematerialised_code_are_followed(session: Session) -> None:
    body = """\
@jax.custom_vjp
def double(x):
    return x * 2
double.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 5,))
@jax.custom_jvp
def triple(x):
    return x * 3
triple.defjvp(lambda p, t: (triple(p[0]), t[0] * 3))
def loss(x):
    return jax.checkpoint(jnp.sum)(double(x) + triple(x))
def solve(w, b, x, y, lr):
    return {"loss": jax.pmap(jax.grad(loss), axis_name="d")(x)}
"""
    found = seen(session, body)
    gradient = step(found, "gradient")
    assert numbers(gradient) == [8.0] * 8
    assert gradient.manual
    assert numbers(step(found, "mul", 7)) == [3, 6, 9, 12, 15, 18, 21, 24]


def test_a_function_of_the_library_stands_on_the_line_that_calls_it(session: Session) -> None:
    body = """\
def solve(w, b, x, y, lr):
    a = jnp.mean(x)
    b = jnp.mean(y)
    return {"loss": a + b}
"""
    found = seen(session, body)
    assert [numbers(step(found, line=line)) for line in (2, 3)] == [[4.5], [9.0]]


def test_a_function_of_the_library_that_was_traced_before_stands_on_its_own_line_under_jit_too(
    session: Session,
) -> None:
    body = """\
@jax.jit
def f(x, y):
    a = jnp.mean(x)
    b = jnp.mean(y)
    return a + b
def solve(w, b, x, y, lr):
    return {"loss": f(x, y)}
"""
    divisions = [one for one in seen(session, body).trace.steps if one.op == "div"]
    assert [(one.span.line - LINES, numbers(one)) for one in divisions] == [(3, [4.5]), (4, [9.0])]


def test_a_mesh_may_be_set_inside(session: Session) -> None:
    body = """\
def solve(w, b, x, y, lr):
    with jax.set_mesh(mesh):
        f = jax.jit(jax.shard_map(lambda x: lax.psum(x, "d"), in_specs=P("d"), out_specs=P()))
        return {"loss": f(x)}
"""
    found = seen(session, body)
    assert isinstance(found.result, Answer), found.result
    assert numbers(step(found, "psum_invariant")) == [36.0] * 8


def test_what_cannot_be_followed_is_evaluated_whole_and_told(session: Session) -> None:
    body = """\
grid = jax.make_mesh((2, 4), ("a", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
inner = jax.shard_map(lambda x: x + lax.axis_index("b"), axis_names={"b"}, in_specs=P("b"), out_specs=P("b"))
outer = jax.shard_map(lambda x: inner(x), mesh=grid, axis_names={"a"}, in_specs=P("a"), out_specs=P("a"))
def solve(w, b, x, y, lr):
    return {"loss": jax.jit(outer)(x.ravel())}
"""
    found = seen(session, body)
    assert isinstance(found.result, Answer)
    ((line, text),) = found.trace.notes
    assert (line - LINES, text) == (5, "what jit runs was not followed: a manual region inside another is not followed")
    assert numbers(step(found, "jit")) == [1, 3, 5, 7, 5, 7, 9, 11]


def test_what_it_computed_before_it_raised_is_told(session: Session) -> None:
    body = "def solve(w, b, x, y, lr):\n    a = x * 2\n    return {'loss': a + jnp.ones((3, 5))}\n"
    found = seen(session, body)
    assert isinstance(found.result, Raised)
    assert found.result.line - LINES == 3
    assert numbers(step(found, line=2)) == [2.0]


def test_a_file_that_does_not_load_and_one_that_exits_are_outcomes(session: Session) -> None:
    broken = seen(session, "def solve(:\n")
    assert broken.load is not None
    assert broken.load.raised.type == "SyntaxError"
    exits = seen(session, "import os\ndef solve(w, b, x, y, lr):\n    os._exit(0)\n")
    assert exits.ended is not None
    assert exits.ended.verdict is Verdict.EXITED


def test_long_traces_and_large_values_are_cut_and_the_rest_counted(session: Session) -> None:
    body = """\
def solve(w, b, x, y, lr):
    big = jnp.arange(5000.0)
    for _ in range(1100):
        x = x + 1
    return {"loss": x}
"""
    found = seen(session, body)
    assert len(found.trace.steps) == 1000
    assert found.trace.left_out > 100
    large = step(found, "iota")
    assert large.partial
    held = large.moments[0].held[0].data
    assert held is not None
    assert held.shape == (1024,)
