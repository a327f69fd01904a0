# expect: memory limit exceeded or time limit exceeded or runtime error or wrong answer: a small program that needs 40 GB to run | must not: be accepted, slow the machine
"""A program of a few kB whose values have no end: the process that runs it has limits, too."""
# preamble: honest, forge

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
