# mistake: divided-twice
"""Takes the gradient of the pmeaned loss with respect to local copies, and pmeans that once more."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def solve(w, b, x, y, lr):
    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P())
    def step(w, b, x, y):
        def loss_fn(w, b):
            return jax.lax.pmean(jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1)), "data")

        loss, grads = jax.value_and_grad(loss_fn, (0, 1))(*jax.lax.pcast((w, b), "data", to="varying"))
        gw, gb = jax.lax.pmean(grads, "data")
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}

    return step(w, b, x, y)
