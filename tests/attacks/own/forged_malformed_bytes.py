# expect: accepted or runtime error: programs cut short, with bits turned, and of nothing at all | must not: be an internal error, end the judge
"""The live run is honest, the programs are rubbish: the reader of programs must refuse them, one by one."""
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

import itertools
count = itertools.count()

def spoil(blob):
    number = next(count) % 4
    if number == 0:
        return blob[: len(blob) // 2]
    if number == 1:
        return b"\xff" * 5000
    if number == 2:
        return b""
    turned = bytearray(blob)
    for place in range(64, len(turned), 97):
        turned[place] ^= 0x55
    return bytes(turned)

forge(spoil)

def solve(*a):
    return honest(*a)
