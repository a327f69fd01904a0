"""One data-parallel step of gradient descent with shard_map, on 8 devices."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P


def solve(w, b, x, y, lr):
    """Run one step with the rows of x and y split over 8 devices.

    Args:
        w: weights, float32 [D, K]
        b: bias, float32 [K]
        x: one example a row, float32 [N, D]
        y: the target of each row, float32 [N, K]
        lr: learning rate, a Python float

    Returns:
        A dict: `w` [D, K] and `b` [K] after the step, replicated on all 8 devices, and `loss` (), the loss before the
        step. All are float32 jax.Arrays.
    """
    raise NotImplementedError("write the step")
