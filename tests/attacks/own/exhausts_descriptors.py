# expect: accepted or runtime error: opens files and pipes until none is left | must not: take the launcher's, break the next submission
"""Descriptors are counted for each process; those of the launcher and of the judge must not run out."""
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

import os, stat, sys

def sockets():
    found = []
    for fd in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                found.append(fd)
        except OSError:
            pass
    return found

def say(frame):
    os.write(sockets()[0], frame)

encode = sys.modules["judge.runner.wire"].encode
ANSWER = {"answer": {"type": "dict", "outputs": []}}

KEPT = []
try:
    while True:
        KEPT.extend(os.pipe())
except OSError:
    pass
try:
    while True:
        KEPT.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for fd in KEPT[:20]:
    os.close(fd)

def solve(*a):
    return honest(*a)
