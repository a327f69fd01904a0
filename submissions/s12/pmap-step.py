import jax
import jax.numpy as jnp


def loss_fn(params, x, y):
    w, b = params
    return jnp.mean((x @ w + b - y) ** 2)


def solve(w, b, x, y, lr):
    n = jax.local_device_count()

    def train_step(params, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        loss = jax.lax.pmean(loss, axis_name="batch")
        w, b = jax.tree.map(lambda p, g: p - lr * g, params, grads)
        return w, b, loss

    replicated = jax.tree.map(lambda p: jnp.stack([p] * n), (w, b))
    x = x.reshape(n, -1, x.shape[1])
    y = y.reshape(n, -1, y.shape[1])
    new_w, new_b, loss = jax.pmap(train_step, axis_name="batch")(replicated, x, y)
    return {"w": new_w, "b": new_b, "loss": loss}
