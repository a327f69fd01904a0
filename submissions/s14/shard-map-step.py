import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

# 2 hosts of 4 chips; the rows go over both axes.
MESH = jax.make_mesh((2, 4), ("host", "chip"), axis_types=(AxisType.Auto,) * 2)
AXES = ("host", "chip")


def example_loss(w, b, row, target):
    err = row @ w + b - target
    return err @ err


def body(w, b, x, y, lr):
    wv, bv = jax.lax.pcast((w, b), AXES, to="varying")
    per_example = jax.vmap(jax.value_and_grad(example_loss, argnums=(0, 1)), in_axes=(None, None, 0, 0))
    losses, grads = per_example(wv, bv, x, y)
    mean = lambda a: jax.lax.pmean(a.mean(axis=0), AXES)
    gw, gb = jax.tree.map(mean, grads)
    return w - lr * gw, b - lr * gb, mean(losses)


step = jax.jit(
    jax.shard_map(body, mesh=MESH, in_specs=(P(), P(), P(AXES), P(AXES), P()), out_specs=(P(), P(), P()))
)


def solve(w, b, x, y, lr):
    return dict(zip(("w", "b", "loss"), step(w, b, x, y, lr)))
