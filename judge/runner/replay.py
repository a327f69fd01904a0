"""Evaluates a jaxpr and keeps, of every equation, the value that each device holds.

It runs inside one `jax.jit`, so that the partitioner sees the whole program: every kept value is one more result of it. In a
manual region (`shard_map`, `pmap`) a kept value gets a leading axis that is split over the region's mesh.

Manual regions are evaluated without the check of varying axes, whose markers and typed collectives become the plain ones:
the values are the same, and what is kept needs no types.
"""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from judge.runner import control
from judge.runner.private import Literal, UnspecifiedValue, source_info
from judge.runner.tape import NOWHERE, Ids, Scope, Span, Step, Tape, Values, can_be_kept, kept, together

#: Primitives that only call a program of their own.
INLINED = frozenset({"jit", "closed_call", "core_call", "remat2", "checkpoint", "custom_jvp_call", "custom_vjp_call"})
FOLLOWED = INLINED | {"shard_map", *control.FOLLOWED}
#: Markers of types; the value is that of the operand.
MARKERS = frozenset({"pvary", "pcast", "stop_gradient", "copy", "copy_p", "optimization_barrier", "reduced_vary_cast"})
COLLECTIVES = frozenset(
    {
        *("psum", "psum_invariant", "psum2", "pmax", "pmin", "all_gather", "all_gather_invariant", "reduce_scatter"),
        *("all_to_all", "ppermute", "pbroadcast", "ragged_all_to_all", "pgather"),
    }
)
GRADIENT = "judge: gradient"
_LIBRARY = re.compile(r"jax/_src/(numpy|nn|scipy|lax|ops|image|random)\b")


class Unfollowed(Exception):
    """What the replay does not know how to follow; the text says what."""


class Replay:
    """Evaluates programs onto one tape."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        #: The mesh that is set around the program, for regions that name none of their own.
        self.mesh: Any = None

    def on(self, tape: Tape) -> Replay:
        """A replay onto another tape."""
        return Replay(tape)

    def program(self, jaxpr: Any, args: Values, origins: list[Ids], scope: Scope, at: Span) -> tuple[Values, list[Ids]]:
        """The results of a program (closed or not), and the steps that each was made by. `at` is where it was called."""
        inner, consts = (jaxpr.jaxpr, jaxpr.consts) if hasattr(jaxpr, "consts") else (jaxpr, ())
        env: dict[Any, tuple[Any, Ids]] = {}
        env.update(zip(inner.constvars, ((const, ()) for const in consts), strict=True))
        env.update(zip(inner.invars, zip(args, origins, strict=True), strict=True))

        def read(atom: Any) -> tuple[Any, Ids]:
            return (atom.val, ()) if isinstance(atom, Literal) else env[atom]

        foreign = is_library(inner)
        for eqn in inner.eqns:
            found = NOWHERE if foreign and at != NOWHERE else self.tape.span(eqn.source_info.traceback)
            pairs = [read(atom) for atom in eqn.invars]
            names = source_info.current_name_stack() + eqn.source_info.name_stack
            with source_info.user_context(eqn.source_info.traceback, name_stack=names), eqn.ctx.manager:
                outs, made = self.equation(
                    eqn.primitive, eqn.params, [value for value, _ in pairs], [ids for _, ids in pairs], scope,
                    at if found == NOWHERE else found,
                )  # fmt: skip
            env.update(zip(eqn.outvars, zip(outs, made, strict=True), strict=True))
        results = [read(atom) for atom in inner.outvars]
        return [value for value, _ in results], [ids for _, ids in results]

    def equation(
        self, primitive: Any, params: dict[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
    ) -> tuple[Values, list[Ids]]:
        """One equation at `at`: its results, and the steps that each was made by."""
        match primitive.name:
            case name if name in INLINED:
                return self._call(params, args, origins, scope, at)
            case "shard_map":
                return self._shard_map(params, args, origins, scope, at)
            case name if name in control.FOLLOWED:
                return control.FOLLOWED[name](self, params, args, origins, scope, at)
            case name if name in MARKERS and len(args) == 1:
                return args, origins
            case _:
                return self._plain(primitive, params, args, origins, scope, at)

    def _plain(
        self, primitive: Any, params: dict[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
    ) -> tuple[Values, list[Ids]]:
        bound = _untyped(primitive.name, args, params) if scope.manual else None
        if bound is None:
            bound = primitive.bind(*args, **primitive.get_bind_params(params))
        outs = list(bound) if isinstance(bound, list | tuple) else [bound]
        made = []
        for number, out in enumerate(outs):
            # The results of one collective are those of its operands, one by one.
            paired = primitive.name in COLLECTIVES and len(outs) == len(args)
            parents = origins[number] if paired else together(origins)
            made.append(self.keep(out, described(primitive.name, params, parents, out, scope, at), scope) or parents)
        return outs, made

    def keep(self, value: Any, step: Step, scope: Scope) -> Ids:
        """Put a step on the tape with its value among the results; none where it cannot be kept."""
        if not can_be_kept(value):
            return ()
        if self.tape.full:
            self.tape.left_out += 1
            return ()
        value, step.partial = kept(jnp.asarray(value))
        step.manual = bool(scope.manual)
        scope.values.append(value)
        scope.steps.append(self.tape.add(step))
        return (scope.steps[-1],)

    def _call(
        self, params: dict[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
    ) -> tuple[Values, list[Ids]]:
        jaxpr = params["call_jaxpr"] if "call_jaxpr" in params else params["jaxpr"]
        args = _constrained(args, params.get("in_shardings"))
        outs, made = self.program(jaxpr, args, origins, scope, at)
        return _constrained(outs, params.get("out_shardings")), made

    def _shard_map(
        self, params: dict[str, Any], args: Values, origins: list[Ids], scope: Scope, at: Span
    ) -> tuple[Values, list[Ids]]:
        if scope.manual:
            raise Unfollowed("a manual region inside another is not followed")
        mesh, inner = params["mesh"], params["jaxpr"]
        axes = tuple(name for name in mesh.axis_names if name in params["newly_manual_axes"])
        region = Scope(mesh=_with_devices(mesh, self.mesh), manual=axes)
        made: list[Ids] = []
        names = list(getattr(inner.debug_info, "arg_names", ()) or ())
        start = len(self.tape.steps)

        def body(*parts: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
            # JAX may trace a function more than once; the last time counts.
            self.tape.forget(start)
            region.values, region.steps, made[:] = [], [], []
            entered = []
            for number, (part, ids, spec) in enumerate(zip(parts, origins, params["in_specs"], strict=True)):
                name = names[number] if len(names) == len(parts) else ""
                # `pmap` calls its operands by names of its own.
                label = f"operand {number}" if not name or name.startswith("flat_args") else name
                step = Step(at, "enter", ids, tuple(part.shape), part.dtype.name, label=label, axes=_axes(spec))
                entered.append(self.keep(part, step, region) or ids)
            outs, found = self.program(inner, list(parts), entered, region, at)
            made.extend(found)
            return tuple(outs), tuple(value[None] for value in region.values)

        outs, values = jax.shard_map(
            body,
            mesh=mesh,
            in_specs=tuple(params["in_specs"]),
            out_specs=(tuple(params["out_specs"]), P(axes)),
            axis_names=set(axes),
            check_vma=False,
        )(*args)
        scope.values += values
        scope.steps += region.steps
        for number in region.steps:
            self.tape.steps[number].place = NamedSharding(region.mesh, P(axes))
        return list(outs), made


def described(name: str, params: dict[str, Any], parents: Ids, out: Any, scope: Scope, at: Span) -> Step:
    """The step of a plain equation."""
    backward = "transpose(" in str(source_info.current_name_stack())
    step = Step(at, name, parents, tuple(jnp.shape(out)), str(getattr(out, "dtype", "")), backward=backward)
    if name == "name" and str(params.get("name")).startswith(GRADIENT):
        step.op, step.label = "gradient", str(params["name"])[len(GRADIENT) :]
    if name in COLLECTIVES:
        axes = params.get("axes", params.get("axis_name", ()))
        step.axes = tuple(str(axis) for axis in (axes if isinstance(axes, tuple) else (axes,)))
        step.groups = _groups(scope, step.axes)
    return step


def _groups(scope: Scope, axes: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    mesh = scope.mesh
    if mesh is None or not all(axis in mesh.axis_names for axis in axes):
        return ()
    inner = [place for place, name in enumerate(mesh.axis_names) if name in axes]
    outer = [place for place in range(len(mesh.axis_names)) if place not in inner]
    ids = np.vectorize(lambda device: device.id, otypes=[int])(mesh.devices)
    rows = ids.transpose([*outer, *inner]).reshape(-1, int(np.prod([ids.shape[place] for place in inner])))
    return tuple(tuple(int(one) for one in row) for row in rows)


def _with_devices(mesh: Any, around: Any) -> jax.sharding.Mesh:
    """The mesh itself, or for an abstract one the mesh that is set."""
    found: Any = mesh if isinstance(mesh, jax.sharding.Mesh) else around
    if not isinstance(found, jax.sharding.Mesh) or found.empty:
        raise Unfollowed("a manual region over a mesh without devices is not followed")
    return found


def _axes(spec: Any) -> tuple[str, ...]:
    """For each axis of an operand that is split, `place:name`."""
    return tuple(
        f"{place}:{name}"
        for place, names in enumerate(spec)
        for name in (() if names is None else names if isinstance(names, tuple) else (names,))
    )


def is_library(jaxpr: Any) -> bool:
    """Whether it is a function of JAX's own library, such as `jnp.mean`. JAX traces one once and uses it again elsewhere:
    the lines of the student's inside are those of the first use."""
    return _LIBRARY.search(str(getattr(jaxpr.debug_info, "func_src_info", ""))) is not None


def _constrained(values: Values, shardings: Any) -> Values:
    if shardings is None:
        return values
    return [
        lax.with_sharding_constraint(value, where) if isinstance(where, NamedSharding) else value
        for value, where in zip(values, shardings, strict=True)
    ]


def specified(shardings: Any) -> tuple[Any, ...]:
    """Shardings as `jax.jit` takes them."""
    return tuple(None if isinstance(where, UnspecifiedValue) else where for where in shardings)


def _untyped(name: str, args: Values, params: dict[str, Any]) -> Any:
    """A typed collective as the plain one; None for every other primitive."""
    match name:
        case "psum_invariant":
            return [lax.psum(one, tuple(params["axes"])) for one in args]
        case "all_gather_invariant":
            return lax.all_gather(
                args[0], params["axis_name"], axis=params["all_gather_dimension"], tiled=params["tiled"]
            )
        case _:
            return None
