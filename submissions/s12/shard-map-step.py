import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P


def solve(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

    def body(w, b, x, y):
        wv, bv = lax.pvary(w, "data"), lax.pvary(b, "data")

        def loss_fn(w, b):
            return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))

        loss, (gw, gb) = jax.value_and_grad(loss_fn, argnums=(0, 1))(wv, bv)
        return w - lr * lax.pmean(gw, "data"), b - lr * lax.pmean(gb, "data"), lax.pmean(loss, "data")

    f = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=(P(), P(), P()))
    w, b, loss = f(w, b, x, y)
    return {"w": w, "b": b, "loss": loss}
