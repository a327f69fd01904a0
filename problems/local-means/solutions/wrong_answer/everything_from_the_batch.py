# mistake: all-from-global-mean
"""Takes the gradient of the batch and multiplies it by the number of parts, which is right for equal parts."""

import jax
import jax.numpy as jnp


def solve(w, x, y, counts):
    gradient = jax.grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
    return {"summed": gradient * len(counts), "averaged": gradient, "weighted": gradient}
