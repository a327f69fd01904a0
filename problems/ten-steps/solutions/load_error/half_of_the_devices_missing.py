"""Asks for eight devices when it is imported; there are four."""

import jax

mesh = jax.make_mesh((8,), ("data",))


def solve(w, x, y, lr, steps):
    raise NotImplementedError
