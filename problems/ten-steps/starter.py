"""Several training steps on 4 devices, all of them recorded. Fill in `solve`; it is called by position."""

import jax


def solve(w: jax.Array, x: jax.Array, y: jax.Array, lr: float, steps: int) -> dict[str, jax.Array]:
    """`steps` steps of gradient descent on the mean squared error of `x @ w` over the whole batch.

    Args:
        w: weights to start from, float32 [D].
        x: features, float32 [N, D]; N is a multiple of 4.
        y: targets, float32 [N].
        lr: learning rate, a Python float.
        steps: number of updates, a Python int of at least 1.

    Returns:
        A dict of float32 arrays that are replicated on all 4 devices: "weights" [steps, D], row t after update t + 1,
        and "losses" [steps], entry t before update t + 1.
    """
    raise NotImplementedError("write one step, repeat it, and keep the weights after it and the loss before it")
