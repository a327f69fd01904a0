# expect: memory limit exceeded or time limit exceeded or runtime error or wrong answer: a small program that needs 40 GB to run | must not: be accepted, slow the machine
"""A program of a few kB whose values have no end: the process that runs it has limits, too."""
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

def honest(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    w, b, x, y = (jnp.asarray(t, jnp.float32) for t in (w, b, x, y))
    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P(), P(), P("d"), P("d")), out_specs=P())
    def go(w, b, x, y):
        l, g = jax.value_and_grad(lambda w, b: jnp.mean(jnp.sum((x @ w + b - y) ** 2, 1)), (0, 1))(w, b)
        return {"w": w - lr * g[0] / 8, "b": b - lr * g[1] / 8, "loss": jax.lax.pmean(l, "d")}
    return go(w, b, x, y)

import sys
from jax import export

def forge(make):
    """In the process that exports, hand over whatever `make` returns instead of the program."""
    module = sys.modules.get("judge.runner.export")
    if module is not None:
        right = module.Export._program
        module.Export._program = lambda self, inputs, kept: make(right(self, inputs, kept))

def big(blob):
    def f(w, b, x, y, lr):
        v = jnp.cumsum(jnp.ones((10_000_000_000,), jnp.float32) * w.sum())
        return {"w": w * v[-1], "b": b, "loss": v[-3]}
    old = export.deserialize(bytearray(blob))
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in old.in_avals]
    return bytes(export.export(jax.jit(f))(*avals).serialize())

forge(big)

def solve(*a):
    return honest(*a)
