"""No autodiff: sums over rows, psum over devices, one division by all elements; lr closed over."""

import jax
import jax.numpy as jnp


def solve(w, b, x, y, lr):
    elements = y.size

    def step(x, y):
        r = x @ w + b - y
        gw, gb, loss = jax.lax.psum((x.T @ r, r.sum(axis=0), jnp.vdot(r, r)), "i")
        return w - 2 * lr * gw / elements, b - 2 * lr * gb / elements, loss / elements

    shards = (jnp.stack(jnp.split(a, 8)) for a in (x, y))
    w, b, loss = jax.pmap(step, axis_name="i", devices=jax.devices())(*shards)
    return {"w": w, "b": b, "loss": loss}
