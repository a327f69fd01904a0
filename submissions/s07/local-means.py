import jax
import jax.numpy as jnp


def mean_loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, counts):
    # split the batch into len(counts) equal parts
    k = len(counts)
    size = x.shape[0] // k
    grads = jnp.stack(
        [jax.grad(mean_loss)(w, x[i * size : (i + 1) * size], y[i * size : (i + 1) * size]) for i in range(k)]
    )
    n = jnp.array(counts, dtype=jnp.float32)
    return {
        "summed": grads.sum(axis=0),
        "averaged": grads.mean(axis=0),
        "weighted": (n[:, None] * grads).sum(axis=0) / n.sum(),
    }
