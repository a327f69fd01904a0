"""Help for submissions that are right but cannot be traced as they stand.

Installed in the export child before the submission is imported, since `from jax import device_put` binds early. Each help acts
on tracers only. Such help is sound: a program that differs from the live run is found out by its values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, Sharding

from judge.runner.private import config, trace_state_clean

_Tracer = jax.core.Tracer
_device_put = jax.device_put
_set_mesh = jax.set_mesh
_NO_MESH = jax.sharding.AbstractMesh((), ())


class Helps:
    """The helps of one process. `mesh` is the last one that was set under a trace, which JAX itself refuses."""

    def __init__(self) -> None:
        self.mesh: Any = None

    def install(self) -> None:
        """Put every help in place, for the rest of this process."""
        for name in ("asarray", "array", "ascontiguousarray"):
            setattr(np, name, _pass_through(getattr(np, name)))
        jax.device_put = _place
        for name in ("print", "callback", "breakpoint", "visualize_array_sharding", "inspect_array_sharding"):
            if name in vars(jax.debug):
                setattr(jax.debug, name, _nothing)
        for module in (jax, jax.sharding):
            vars(module)["set_mesh"] = self._set_mesh

    def _set_mesh(self, mesh: Any) -> Any:
        if trace_state_clean():
            return _set_mesh(mesh)
        if mesh is not None:
            self.mesh = mesh
        return _TracedMesh(mesh)


class _TracedMesh:
    """The abstract mesh of a mesh as context. It names no devices: the whole is exported within the mesh once more."""

    def __init__(self, mesh: Any) -> None:
        abstract = _NO_MESH if mesh is None else mesh.abstract_mesh
        self._before = config.abstract_mesh_context_manager.swap_local(abstract)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        config.abstract_mesh_context_manager.set_local(self._before)


def _nothing(*args: Any, **keywords: Any) -> None:
    """Stands in for output and callbacks, which no program may hold."""


def _pass_through(original: Callable[..., Any]) -> Callable[..., Any]:
    def converted(a: Any = None, dtype: Any = None, *args: Any, **keywords: Any) -> Any:
        if isinstance(a, _Tracer):
            return a if dtype is None else a.astype(dtype)
        if a is None and not args and "object" in keywords:
            a = keywords.pop("object")
        return original(a, dtype, *args, **keywords)

    converted.__name__ = original.__name__
    return converted


def _place(x: Any, device: Any = None, *args: Any, **keywords: Any) -> Any:
    """`jax.device_put`, which under a trace leaves no mark: a sharding becomes a constraint, a device is left alone."""
    if not any(isinstance(leaf, _Tracer) for leaf in jax.tree.leaves(x)):
        return _device_put(x, device, *args, **keywords)
    return jax.tree.map(
        lambda where, part: jax.tree.map(lambda leaf: _constrain(leaf, where), part), device, x, is_leaf=_is_place
    )


def _is_place(value: Any) -> bool:
    return value is None or isinstance(value, Sharding | jax.Device)


def _constrain(leaf: Any, where: Any) -> Any:
    if not isinstance(where, NamedSharding):
        return leaf
    if not isinstance(leaf, _Tracer):
        return _device_put(leaf, where)
    if AxisType.Explicit in where.mesh.axis_types:
        return jax.reshard(leaf, where)
    return jax.lax.with_sharding_constraint(leaf, where)
