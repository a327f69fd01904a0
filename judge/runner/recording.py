"""Runs `solve` as it is, and puts every step of JAX on a tape.

JAX asks the current trace to evaluate each primitive. This one evaluates it as always and keeps the result, so a submission that
prints values, branches on them or hands them to NumPy runs as it does live. What holds a program of its own (`jit`,
`shard_map`, loops) is replayed equation by equation instead; where that fails it is evaluated whole, and the tape says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from judge.runner.failure import name_of
from judge.runner.private import EvalTrace, current_trace, name_p, set_current_trace, source_info, take_current_trace
from judge.runner.replay import FOLLOWED, GRADIENT, Replay, Unfollowed, described, is_library, specified
from judge.runner.tape import Ids, Scope, Step, Tape, can_be_kept, kept, together

_jit = jax.jit
_make_jaxpr = jax.make_jaxpr
_set_mesh = jax.set_mesh


class Recorder(EvalTrace):  # type: ignore[misc]  # of JAX's private part, untyped
    """Evaluates what is computed outside any transformation, and records it."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tape = tape
        self._replay = Replay(tape)
        # By identity, with the array itself: no other array can have its id while it is held.
        self._made: dict[int, tuple[Any, Ids]] = {}

    def input(self, name: str, value: Any) -> None:
        """Put an argument of `solve` on the tape."""
        if isinstance(value, jax.Array):
            self._keep(value, Step((0, 0, 0, 0), "input", (), tuple(value.shape), value.dtype.name, label=name))

    def made(self, value: Any) -> Ids:
        """The steps that made a value."""
        return self._made[id(value)][1] if id(value) in self._made else ()

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns, with every step of JAX that it takes on the tape."""
        with set_current_trace(self):
            return function(*arguments)

    def process_primitive(self, primitive: Any, args: Any, params: dict[str, Any], /) -> Any:
        args = list(args)
        # A function of the library is one step: there is nothing of the student's inside.
        library = primitive.name == "jit" and is_library(params["jaxpr"].jaxpr)
        if primitive.name in FOLLOWED and not library and not self.tape.full:
            outs = self._followed(primitive, params, args)
            if outs is not None:
                return outs if primitive.multiple_results else outs[0]
        out = super().process_primitive(primitive, args, params)
        outs = list(out) if primitive.multiple_results else [out]
        at = self.tape.span(source_info.current().traceback)
        parents = together([self.made(one) for one in args])
        for one in outs:
            name = str(params["name"]) if library else primitive.name
            self._keep(one, described(name, params, parents, one, Scope(), at))
        return out

    def process_shard_map(self, primitive: Any, function: Any, args: Any, /, **params: Any) -> Any:
        """An eager `shard_map`: its body is traced, then replayed as inside a `jit`."""
        shaped: list[Any] = []

        def bound(*arguments: Any) -> Any:
            shaped.append(primitive.bind(*arguments, subfuns=(function,), **params))
            return tuple(shaped[-1].vals)

        try:
            traced = _make_jaxpr(bound)(*args).eqns[0]
        except Exception:
            traced = None
        outs = None if traced is None else self._followed(traced.primitive, traced.params, list(args))
        if outs is None:
            return super().process_shard_map(primitive, function, args, **params)
        return shaped[-1].update(outs)

    def process_custom_jvp_call(self, _primitive: Any, fun: Any, _jvp: Any, tracers: Any, /, **_: Any) -> Any:
        with set_current_trace(self):
            return fun.call_wrapped(*tracers)

    def process_custom_vjp_call(
        self, _primitive: Any, fun: Any, _fwd: Any, _bwd: Any, tracers: Any, /, **_: Any
    ) -> Any:
        with set_current_trace(self):
            return fun.call_wrapped(*tracers)

    def _followed(self, primitive: Any, params: dict[str, Any], args: list[Any]) -> list[Any] | None:
        """The results of a primitive that holds a program; None where it cannot be replayed."""
        at = self.tape.span(source_info.current().traceback)
        start, origins = len(self.tape.steps), [self.made(one) for one in args]
        made: list[Ids] = []
        scope = Scope()

        def program(*values: Any) -> Any:
            self.tape.forget(start)
            scope.values, scope.steps, made[:] = [], [], []
            inner = {name: value for name, value in params.items() if name not in ("in_shardings", "out_shardings")}
            outs, found = self._replay.equation(primitive, inner, list(values), origins, scope, at)
            made.extend(found)
            return tuple(outs), tuple(
                self._placed(step, value) for step, value in zip(scope.steps, scope.values, strict=True)
            )

        self._replay.mesh = jax.sharding.get_mesh()
        options: dict[str, Any] = {}
        if "in_shardings" in params:
            options["in_shardings"] = specified(params["in_shardings"])
            options["out_shardings"] = (specified(params["out_shardings"]), None)
        try:
            outs, values = _jit(program, **options)(*args)
            jax.block_until_ready(values)
        except Exception as error:
            self.tape.forget(start)
            why = str(error) if type(error) is Unfollowed else name_of(type(error))
            self.tape.note(at[0], f"what {primitive.name} runs was not followed: {why}")
            return None
        for number, value in zip(scope.steps, values, strict=True):
            self.tape.steps[number].value = value
        for out, ids in zip(outs, made, strict=True):
            self._made[id(out)] = out, ids
        return list(outs)

    def _placed(self, number: int, value: Any) -> Any:
        """A value of a manual region inside a loop, back with the devices that held it."""
        step = self.tape.steps[number]
        if not step.outside:
            return value
        spec = P(*[None] * step.outside, *step.place.spec)
        return lax.with_sharding_constraint(value, NamedSharding(step.place.mesh, spec))

    def _keep(self, value: Any, step: Step) -> None:
        if not isinstance(value, jax.Array) or not can_be_kept(value):
            return
        if step.op in ("copy", "copy_p") or self.tape.full:
            self.tape.left_out += self.tape.full
            self._made[id(value)] = value, step.parents
            return
        step.value, step.partial = kept(value)
        self._made[id(value)] = value, (self.tape.add(step),)


class Marks:
    """Names the line that asks for a gradient, which has no operation of its own, and lets `set_mesh` act while recording."""

    @staticmethod
    def install() -> None:
        """For the rest of this process; before the submission is imported."""
        for name in ("grad", "value_and_grad"):
            setattr(jax, name, _marked(getattr(jax, name), with_value=name == "value_and_grad"))
        for module in (jax, jax.sharding):
            vars(module)["set_mesh"] = _mesh_outside


def _marked(original: Callable[..., Any], *, with_value: bool) -> Callable[..., Any]:
    def transformed(fun: Any, *args: Any, **keywords: Any) -> Any:
        found = original(fun, *args, **keywords)
        has_aux = keywords.get("has_aux", args[1] if len(args) > 1 else False)

        def called(*arguments: Any, **named: Any) -> Any:
            out = found(*arguments, **named)
            if with_value:
                return out[0], _mark(out[1])
            return (_mark(out[0]), out[1]) if has_aux else _mark(out)

        return called

    transformed.__name__ = original.__name__
    return transformed


def _mark(gradients: Any) -> Any:
    return jax.tree_util.tree_map_with_path(_marked_leaf, gradients)


def _marked_leaf(path: Any, leaf: Any) -> Any:
    # The gradient of an int is of a type that takes part in nothing.
    if not isinstance(leaf, jax.Array) or not jnp.issubdtype(leaf.dtype, jnp.inexact):
        return leaf
    return name_p.bind(leaf, name=GRADIENT + jax.tree_util.keystr(path))


def _mesh_outside(mesh: Any) -> Any:
    # While recording the state is that of a trace, where JAX refuses to set a mesh; nothing is being traced.
    if isinstance(current_trace(), Recorder):
        with take_current_trace():
            return _set_mesh(mesh)
    return _set_mesh(mesh)
