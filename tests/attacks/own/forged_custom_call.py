# expect: accepted or runtime error or wrong answer: a program that calls a host callback and a custom call of its own | must not: print BREACH, run them
"""Custom calls are the way from a program to the host; none may be run that the judge does not know."""
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

def calling(blob):
    old = export.deserialize(bytearray(blob))
    def f(w, b, x, y, lr):
        t = jax.ffi.ffi_call("xla_ffi_python_cpu_callback", jax.ShapeDtypeStruct((), jnp.float32))(lr, index=0)
        return {"w": w, "b": b, "loss": t}
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in old.in_avals]
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in ("xla_ffi_python_cpu_callback",)]
    return bytes(export.export(jax.jit(f), disabled_checks=checks)(*avals).serialize())

forge(calling)

def solve(*a):
    return honest(*a)
