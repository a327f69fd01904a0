"""Returns the parameters as a tree of their own."""

import jax
import jax.numpy as jnp


def step(params, x, y, lr):
    out = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    loss, grads = jax.lax.pmean(out, "batch")
    return {"params": jax.tree.map(lambda p, g: p - lr * g, params, grads), "loss": loss}


mapped = jax.pmap(step, axis_name="batch", in_axes=(None, 0, 0, None))


def solve(w, b, x, y, lr):
    return mapped({"w": w, "b": b}, x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]), lr)
