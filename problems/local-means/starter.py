"""Combine the mean gradients of unequal parts. Fill in `solve`; it is called by position."""

import jax


def solve(w: jax.Array, x: jax.Array, y: jax.Array, counts: tuple[int, ...]) -> dict[str, jax.Array]:
    """Three ways to combine the mean gradients of consecutive parts of a batch.

    Args:
        w: weights, float32 [D].
        x: features, float32 [N, D].
        y: targets, float32 [N].
        counts: rows of each part in order, Python ints of at least 1 that add up to N.

    Returns:
        A dict of arrays [D], JAX or NumPy, float32 or float64: "summed", "averaged" and "weighted".
    """
    raise NotImplementedError("compute the mean gradient of each part, then its sum, mean, and mean by count")
