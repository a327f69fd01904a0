"""Loops and branches of a replay.

A loop keeps the values of its first iterations and of its last, in buffers that it carries along. A branch leaves zeros where
another was taken. A step of its own says how often the loop ran or which branch was taken, for each device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from judge.runner.tape import ITERATIONS, SHARDS, Ids, Scope, Span, Step, Tape, Values, together

Results = tuple[Values, list[Ids]]


class Replaying(Protocol):
    """What is asked of `judge.runner.replay.Replay`."""

    tape: Tape

    def on(self, tape: Tape) -> Replaying: ...
    def program(self, jaxpr: Any, args: Values, origins: list[Ids], scope: Scope, at: Span) -> Results: ...
    def keep(self, value: Any, step: Step, scope: Scope) -> Ids: ...


def scan(
    replay: Replaying, params: Mapping[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
) -> Results:
    consts, carried = params["num_consts"], params["num_consts"] + params["num_carry"]
    made: list[Ids] = []
    loop = _opened(replay, "loop", np.int32(params["length"]), scope, at)

    def step(carry: Values, row: Values, inner: Scope) -> Values:
        outs, made[:] = replay.program(params["jaxpr"], [*args[:consts], *carry, *row], origins, inner, at)
        return outs

    rows = [jnp.zeros(jnp.shape(one)[1:], one.dtype) for one in args[carried:]]
    empty = _empty(replay, lambda inner: step(args[consts:carried], rows, inner), scope, lead=(ITERATIONS,))
    start = len(replay.tape.steps)

    def body(state: Any, row: Any) -> Any:
        carry, number, held = state
        # JAX may trace a body more than once; the last time counts.
        replay.tape.forget(start)
        inner = scope.inner()
        outs = step(list(carry), list(row), inner)
        carry, ys = outs[: params["num_carry"]], outs[params["num_carry"] :]
        return (tuple(carry), number + 1, _stored(held, inner.values, number)), tuple(ys)

    state = (tuple(args[consts:carried]), jnp.int32(0), empty)
    (carry, _, held), ys = lax.scan(
        body, state, tuple(args[carried:]), length=params["length"], reverse=params["reverse"]
    )
    _close(replay, ("loop", loop, 0), range(start, len(replay.tape.steps)), held, scope)
    return [*carry, *ys], made


def while_loop(
    replay: Replaying, params: Mapping[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
) -> Results:
    tests, consts = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    made: list[Ids] = []
    loop = _opened(replay, "loop", np.int32(0), scope, at)
    # Whether to go on is computed between the iterations, where nothing can be kept.
    quiet = replay.on(Tape("", SHARDS + 1))

    def step(carry: Values, inner: Scope) -> Values:
        outs, made[:] = replay.program(params["body_jaxpr"], [*args[tests:consts], *carry], origins[tests:], inner, at)
        return outs

    def again(state: Any) -> Any:
        values = [*args[:tests], *state[0]]
        return quiet.program(params["cond_jaxpr"], values, [()] * len(values), scope.inner(), at)[0][0]

    empty = _empty(replay, lambda inner: step(args[consts:], inner), scope, lead=(ITERATIONS,))
    start = len(replay.tape.steps)

    def body(state: Any) -> Any:
        carry, number, held = state
        replay.tape.forget(start)
        inner = scope.inner()
        carry = step(list(carry), inner)
        return tuple(carry), number + 1, _stored(held, inner.values, number)

    carry, count, held = lax.while_loop(again, body, (tuple(args[consts:]), jnp.int32(0), empty))
    if loop is not None:
        scope.values[scope.steps.index(loop)] = count
    _close(replay, ("loop", loop, 0), range(start, len(replay.tape.steps)), held, scope)
    return list(carry), made


def cond(
    replay: Replaying, params: Mapping[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
) -> Results:
    index, *operands = args
    branch = _opened(replay, "branch", index, scope, at)
    made: list[list[Ids]] = []
    ranges: list[range] = []

    def run(number: int, inner: Scope) -> Values:
        start = len(replay.tape.steps)
        outs, found = replay.program(params["branches"][number], operands, origins[1:], inner, at)
        made.append(found)
        ranges.append(range(start, len(replay.tape.steps)))
        return outs

    kinds = range(len(params["branches"]))
    empty = [_empty(replay, partial(run, number), scope, lead=()) for number in kinds]
    made.clear()
    ranges.clear()

    def taken(number: int) -> Callable[..., Any]:
        def call(*_: Any) -> Any:
            inner = scope.inner()
            outs = run(number, inner)
            return tuple(outs), tuple(tuple(inner.values) if n == number else empty[n] for n in kinds)

        return call

    outs, held = lax.switch(index, [taken(number) for number in kinds])
    for number, inside in enumerate(ranges):
        _close(replay, ("branch", branch, number), inside, held[number], scope)
    return list(outs), [together([*one, origins[0]]) for one in zip(*made, strict=True)]


#: By the name of the primitive.
FOLLOWED: Mapping[str, Callable[..., Results]] = {"scan": scan, "while": while_loop, "cond": cond}


def _opened(replay: Replaying, op: str, value: Any, scope: Scope, at: Span) -> int | None:
    """The step that says how often a loop ran or which branch was taken; None where the tape is full."""
    ids = replay.keep(jnp.asarray(value, jnp.int32), Step(at, op, (), (), "int32"), scope)
    return ids[0] if ids else None


def _close(
    replay: Replaying, within: tuple[str, int | None, int], inside: range, held: Sequence[Any], scope: Scope
) -> None:
    """What was kept inside a loop or branch becomes results of the scope around it."""
    op, outer, number = within
    for one in inside:
        assert outer is not None, "a full tape keeps nothing inside either"
        step = replay.tape.steps[one]
        step.within = ((op, outer, number), *step.within)
        # A region inside a loop: the loop's axis stands before that of the devices.
        step.outside += step.manual and not scope.manual and op == "loop"
    scope.values += held
    scope.steps += inside


def _empty(
    replay: Replaying, run: Callable[[Scope], Any], scope: Scope, *, lead: tuple[int, ...]
) -> tuple[jax.Array, ...]:
    """Zeros of what `run` keeps, each with the axes `lead` in front; the tape is as before."""
    before, left_out = len(replay.tape.steps), replay.tape.left_out

    def values() -> tuple[Any, ...]:
        inner = scope.inner()
        run(inner)
        return tuple(inner.values)

    shapes = jax.eval_shape(values)
    replay.tape.forget(before)
    replay.tape.left_out = left_out
    return tuple(jnp.zeros((*lead, *one.shape), one.dtype) for one in shapes)


def _stored(held: Sequence[Any], values: Values, number: Any) -> tuple[Any, ...]:
    place = jnp.minimum(number, ITERATIONS - 1)
    return tuple(
        lax.dynamic_update_index_in_dim(buffer, value, place, 0) for buffer, value in zip(held, values, strict=True)
    )
