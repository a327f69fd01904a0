# expect: runtime error: half of the devices wait in a psum for the other half | must not: hang, be shown as a mere time limit
"""The branch hangs on the device's number, so not every device comes to the collective."""
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

def honest(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    w, b, x, y = (jnp.asarray(t, jnp.float32) for t in (w, b, x, y))
    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P(), P(), P("d"), P("d")), out_specs=P())
    def go(w, b, x, y):
        l, g = jax.value_and_grad(lambda w, b: jnp.mean(jnp.sum((x @ w + b - y) ** 2, 1)), (0, 1))(w, b)
        return {"w": w - lr * g[0] / 8, "b": b - lr * g[1] / 8, "loss": jax.lax.pmean(l, "d")}
    return go(w, b, x, y)

def solve(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    def go(w, b, x, y):
        l = jnp.mean((x @ w + b - y) ** 2)
        t = jax.lax.cond(jax.lax.axis_index("d") < 4, lambda v: jax.lax.psum(v, "d"), lambda v: v, l)
        return {"w": w, "b": b, "loss": t}
    f = jax.shard_map(go, mesh=mesh, in_specs=(P(), P(), P("d"), P("d")), out_specs=P(), check_vma=False)
    return jax.jit(f)(w, b, x, y)
