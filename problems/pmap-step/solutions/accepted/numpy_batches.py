"""Right, but it cannot be traced: NumPy cuts and copies, and the size of the weights is printed."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def sgd(params, grads, lr):
    return jax.tree.map(lambda p, g: p - lr * g, params, grads)


def step(params, x, y, lr):
    loss, grads = jax.lax.pmean(jax.value_and_grad(loss_fn)(params, x, y), "batch")
    return sgd(params, grads, lr), loss


mapped = jax.pmap(step, axis_name="batch")


def solve(w, b, x, y, lr):
    print("largest weight:", float(abs(w).max()))
    params = {"w": np.tile(np.array(w.tolist(), np.float32), (8, 1, 1)), "b": np.tile(np.array(b), (8, 1))}
    x, y = (np.stack(np.split(np.array(a), 8)) for a in (x, y))
    params, loss = mapped(params, x, y, np.full(8, lr, np.float32))
    return {**params, "loss": loss}
