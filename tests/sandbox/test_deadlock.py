"""A collective for which not every device comes, beside programs that are merely slow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judge.model.outcome import LiveOutcome
from judge.model.verdict import Verdict
from judge.sandbox import runs
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
from tests.support.exercises import case, problem, submission

SLUG = "shard-map-step"
HEAD = """
import time
import jax, jax.numpy as jnp
from jax.sharding import PartitionSpec as P
MESH = jax.make_mesh((8,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))

def over_devices(body):
    return jax.jit(jax.shard_map(body, mesh=MESH, in_specs=P("d"), out_specs=P(), check_vma=False))
"""
STUCK = """
def solve(w, b, x, y, lr):
    def body(y):
        mine = jax.lax.axis_index("d") < 4
        return jax.lax.cond(mine, lambda v: jax.lax.psum(v, "d"), lambda v: v, y.sum())
    return {"loss": over_devices(body)(y)}
"""
#: Longer than XLA waits before it calls a collective stuck; it takes that back when the last device comes.
SLEEPS = """
def nap(v, device):
    if int(device) == 3:
        time.sleep(3.5)
    return v

def solve(w, b, x, y, lr):
    def body(y):
        s = y.sum()
        s = jax.pure_callback(nap, jax.ShapeDtypeStruct((), jnp.float32), s, jax.lax.axis_index("d"))
        return jax.lax.psum(s, "d")
    return {"loss": over_devices(body)(y)}
"""
#: The same by computing, with nothing that waits or reads a clock.
COMPUTES = """
def solve(w, b, x, y, lr):
    def slow(s):
        turn = lambda i, m: m @ m / jnp.abs(m @ m).max()
        return s + 0 * jax.lax.fori_loop(0, TURNS, turn, jnp.ones((256, 256))).sum()
    def body(y):
        s = jax.lax.cond(jax.lax.axis_index("d") == 3, slow, lambda s: s, y.sum())
        return jax.lax.psum(s, "d")
    return {"loss": over_devices(body)(y)}
"""
#: Turns of the late device: half a millisecond each on a machine that was slow. On a faster one more of them are needed.
TURNS = (10_000, 40_000, 160_000)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SandboxSettings(unsafe=True)) as opened:
        yield opened


def run(session: Session, source: str, *, first_call_s: float, wall_factor: float) -> LiveOutcome:
    given = problem(SLUG, first_call_s=first_call_s, wall_factor=wall_factor, load_s=20.0, memory_mb=2048)
    calls = [("one", case(SLUG, "one"))]
    return runs.run_live(session, given, submission(SLUG, HEAD + source), calls, want_modules=False)


def test_half_of_the_devices_at_a_collective_are_a_deadlock_that_is_named(session: Session) -> None:
    outcome = run(session, STUCK, first_call_s=4.0, wall_factor=1.0)
    assert outcome.answers == ()
    assert outcome.ended is not None
    assert outcome.ended.verdict is Verdict.DEADLOCK
    assert "all reduce" in outcome.ended.detail
    assert "8 devices" in outcome.ended.detail


@pytest.mark.long("computes and sleeps for longer than XLA waits for a collective")
def test_a_device_that_comes_late_is_no_deadlock(session: Session) -> None:
    outcome = run(session, SLEEPS, first_call_s=60.0, wall_factor=2.0)
    assert outcome.ended is None
    assert len(outcome.answers) == 1
    # XLA spoke of it and took it back, or the wait was too short for the test to show anything.
    assert b"may be stuck" in outcome.stderr
    assert b"is unstuck" in outcome.stderr


@pytest.mark.long("computes and sleeps for longer than XLA waits for a collective")
def test_a_device_that_computes_for_long_before_a_collective_is_no_deadlock(session: Session) -> None:
    for turns in TURNS:
        outcome = run(session, COMPUTES.replace("TURNS", str(turns)), first_call_s=600.0, wall_factor=10.0)
        assert outcome.ended is None
        assert len(outcome.answers) == 1
        if b"may be stuck" in outcome.stderr:
            break
    assert b"may be stuck" in outcome.stderr
    assert b"is unstuck" in outcome.stderr


@pytest.mark.long("computes and sleeps for longer than XLA waits for a collective")
@pytest.mark.parametrize(("cpu_s", "wall_factor"), [(5.0, 100.0), (8.0, 1.0)], ids=["CPU time", "wall time"])
def test_a_device_that_computes_for_too_long_is_a_time_limit_and_no_deadlock(
    session: Session, cpu_s: float, wall_factor: float
) -> None:
    """Although XLA has called the others stuck by then, and never took it back."""
    endless = COMPUTES.replace("TURNS", str(1 << 30))
    outcome = run(session, endless, first_call_s=cpu_s, wall_factor=wall_factor)
    assert outcome.ended is not None
    assert outcome.ended.verdict is Verdict.TIME_LIMIT


@pytest.mark.long("computes and sleeps for longer than XLA waits for a collective")
def test_a_program_that_is_too_slow_is_a_time_limit_and_no_deadlock(session: Session) -> None:
    outcome = run(session, "def solve(*a):\n    time.sleep(60)", first_call_s=1.0, wall_factor=1.0)
    assert outcome.ended is not None
    assert outcome.ended.verdict is Verdict.TIME_LIMIT
