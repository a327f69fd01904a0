import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss_fn(w, b, x, y):
    return jnp.mean(jnp.sum((jnp.dot(x, w) + b - y) ** 2, axis=1))


def step(w, b, x, y, lr):
    wv = jax.lax.pcast(w, "data", to="varying")
    bv = jax.lax.pcast(b, "data", to="varying")
    gw, gb = jax.grad(loss_fn, (0, 1))(wv, bv, x, y)
    w = w - lr * jax.lax.pmean(gw, "data")
    b = b - lr * jax.lax.pmean(gb, "data")
    loss = jax.lax.pmean(loss_fn(w, b, x, y), "data")
    return w, b, loss


step = jax.jit(
    jax.shard_map(
        step, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=(P(), P(), P())
    )
)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return dict(w=w, b=b, loss=loss)
