# expect: accepted or runtime error: looks for descriptors that the launcher left open, and asks the channel for more | must not: print BREACH
"""A child has null, two pipes and one channel. A second socket would be the launcher's or a neighbour's."""
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

import socket

def solve(*a):
    found = [f"socket {fd}" for fd in sockets()[1:]]
    for fd in range(3, 256):
        try:
            kind = os.fstat(fd).st_mode
        except OSError:
            continue
        if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
            try:
                # What Python and JAX opened themselves is read only and no secret; the launcher's would be writable.
                os.pwrite(fd, b"", 0)
                found.append(f"file {fd}")
            except OSError:
                pass
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=sockets()[0])
    try:
        data, fds, *_ = socket.recv_fds(channel, 1, 1, socket.MSG_DONTWAIT)
        found += [f"descriptor {fd}" for fd in fds]
    except OSError:
        pass
    finally:
        channel.detach()
    if found:
        print("BREACH:", found, flush=True)
        return None
    return honest(*a)
