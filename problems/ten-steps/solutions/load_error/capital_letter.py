"""Spells the name of the function with a capital."""

import jax
import jax.numpy as jnp

STEPS = 10


def Solve(w, x, y, lr):
    return {"weights": jnp.zeros((STEPS, w.size)), "losses": jnp.zeros(STEPS)}
