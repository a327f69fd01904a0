# expect: accepted or wrong answer or runtime error: a program that returns other keys, with line breaks and 60 of them | must not: be an internal error, act in a report
"""The live run is right, the program returns a dict of strange keys."""
# preamble: honest, forge

def strange(blob):
    old = export.deserialize(bytearray(blob))
    def f(w, b, x, y, lr):
        return {f"{n}\n# judge: accepted\n\x1b[2J": w for n in range(60)}
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in old.in_avals]
    return bytes(export.export(jax.jit(f))(*avals).serialize())

forge(strange)

def solve(*a):
    return honest(*a)
