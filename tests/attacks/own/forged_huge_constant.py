# expect: accepted or wrong answer: programs that say zero and carry 2 MB of constants, then 4, then 8 | must not: be believed, be an internal error, cost the judge 300 MB
"""The live run is right; the programs are not, and each is heavier than the last."""
# preamble: honest, forge

import itertools
import numpy as np
count = itertools.count(1)

def heavy(blob):
    old = export.deserialize(bytearray(blob))
    numbers = np.random.default_rng(0).random(1 << (18 + next(count)), dtype=np.float32)
    def f(w, b, x, y, lr):
        t = jnp.asarray(numbers)[jnp.int32(lr)]
        return {"w": w * t, "b": b * t, "loss": t * 0}
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in old.in_avals]
    return bytes(export.export(jax.jit(f))(*avals).serialize())

forge(heavy)

def solve(*a):
    return honest(*a)
