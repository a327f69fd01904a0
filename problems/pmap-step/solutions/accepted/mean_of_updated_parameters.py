"""Each replica steps by itself, then the parameters are averaged: the same thing for one step."""

import jax
import jax.numpy as jnp


class Replicas:
    def __init__(self, lr):
        self.step = jax.pmap(self._step, axis_name="data", in_axes=(None, 0))
        self.lr = lr

    def _step(self, params, batch):
        x, y = batch

        def loss_fn(params):
            return ((x @ params["w"] + params["b"] - y) ** 2).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        params = {name: params[name] - self.lr * grads[name] for name in params}
        return jax.lax.pmean(params | {"loss": loss}, "data")


def solve(w, b, x, y, lr):
    batch = x.reshape(8, -1, x.shape[1]), y.reshape(8, -1, y.shape[1])
    return dict(Replicas(lr).step({"w": w, "b": b}, batch))
