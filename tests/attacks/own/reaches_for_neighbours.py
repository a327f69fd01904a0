# expect: accepted or runtime error: signals, traces, reads and re-prioritises every process it can name | must not: print BREACH
"""The launcher is the parent, and children of other sessions have numbers nearby. Signal 0 and bad arguments only ask."""
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

import ctypes, signal
libc = ctypes.CDLL(None, use_errno=True)

def reached():
    parent, own = os.getppid(), os.getpid()
    for pid in {1, parent, own - 1, own + 1, own - 2, own + 2} - {own, 0}:
        for name, attempt in {
            "signal": lambda: os.kill(pid, 0),
            "group": lambda: os.killpg(pid, 0),
            "affinity": lambda: os.sched_setaffinity(pid, os.sched_getaffinity(0)),
            "priority": lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
            "pidfd": lambda: os.close(os.pidfd_open(pid)),
            "limits": lambda: __import__("resource").prlimit(pid, 7),
            "memory": lambda: open(f"/proc/{pid}/mem", "rb").close(),
            "environment": lambda: open(f"/proc/{pid}/environ", "rb").read(1),
            "descriptors": lambda: os.listdir(f"/proc/{pid}/fd"),
        }.items():
            try:
                attempt()
                yield f"{name} of {pid}"
            except OSError:
                pass
        buffer = ctypes.create_string_buffer(8)
        vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
        if libc.process_vm_readv(pid, ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0) > 0:
            yield f"memory of {pid}"
        if libc.ptrace(16, pid, 0, 0) == 0:
            libc.ptrace(17, pid, 0, 0)
            yield f"trace of {pid}"

def solve(*a):
    found = list(reached())
    if found:
        print("BREACH:", found[:10], flush=True)
        return None
    return honest(*a)
