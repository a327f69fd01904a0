# mistake: sum-over-outputs
"""The loss of the shard_map exercise: summed over the outputs."""

import jax
import jax.numpy as jnp


def step(w, b, x, y, lr):
    out = jax.value_and_grad(lambda w, b: jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1)), (0, 1))(w, b)
    loss, (gw, gb) = jax.lax.pmean(out, "batch")
    return w - lr * gw, b - lr * gb, loss


mapped = jax.pmap(step, axis_name="batch", in_axes=(None, None, 0, 0, None))


def solve(w, b, x, y, lr):
    w, b, loss = mapped(w, b, x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]), lr)
    return {"w": w, "b": b, "loss": loss}
