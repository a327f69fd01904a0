# expect: time limit exceeded: a program that never ends | must not: be accepted, outlive the verdict
"""The live run is right; the program is an endless loop, in a process that no student code entered."""
# preamble: honest, forge

def endless(blob):
    def f(w, b, x, y, lr):
        t = jax.lax.while_loop(lambda v: v < 2.0, lambda v: v * 0.5, 1.0)
        return {"w": w * t, "b": b, "loss": t}
    old = export.deserialize(bytearray(blob))
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in old.in_avals]
    return bytes(export.export(jax.jit(f))(*avals).serialize())

forge(endless)

def solve(*a):
    return honest(*a)
