# expect: accepted or runtime error or wrong answer: a program whose signature says other shapes than its code | must not: be an internal error, read beyond an array
"""What a program says it takes and returns is one part of it, the code another; they need not agree."""
# preamble: honest, forge

import dataclasses

def lying(blob):
    old = export.deserialize(bytearray(blob))
    out = tuple(jax.core.ShapedArray((1 << 20,), jnp.float32) for _ in old.out_avals)
    return bytes(dataclasses.replace(old, out_avals=out).serialize())

forge(lying)

def solve(*a):
    return honest(*a)
