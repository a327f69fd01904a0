# expect: accepted or runtime error or wrong answer: a program whose signature says other shapes than its code | must not: be an internal error, read beyond an array
"""What a program says it takes and returns is one part of it, the code another; they need not agree."""
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

import dataclasses

def lying(blob):
    old = export.deserialize(bytearray(blob))
    out = tuple(jax.core.ShapedArray((1 << 20,), jnp.float32) for _ in old.out_avals)
    return bytes(dataclasses.replace(old, out_avals=out).serialize())

forge(lying)

def solve(*a):
    return honest(*a)
