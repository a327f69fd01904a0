"""Counts the steps itself, in a `while_loop` whose state is a dict."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((4,), ("batch",), axis_types=(AxisType.Auto,))
whole = NamedSharding(mesh, P())
split = NamedSharding(mesh, P("batch"))


def descend(x, y, lr, state):
    def objective(w):
        return jnp.mean(jnp.square(jnp.dot(x, w) - y))

    loss, slope = jax.value_and_grad(objective)(state["w"])
    t, w = state["t"], state["w"] - lr * slope
    put = jax.lax.dynamic_update_index_in_dim
    return {
        "t": t + 1,
        "w": w,
        "weights": put(state["weights"], w, t, axis=0),
        "losses": put(state["losses"], loss, t, axis=0),
    }


def solve(w, x, y, lr, steps):
    def train(w, x, y):
        start = {"t": 0, "w": w, "weights": jnp.zeros((steps, *w.shape)), "losses": jnp.zeros((steps,))}
        end = jax.lax.while_loop(lambda state: state["t"] < steps, lambda state: descend(x, y, lr, state), start)
        return {"weights": end["weights"], "losses": end["losses"]}

    return jax.jit(train, in_shardings=(whole, split, split), out_shardings=whole)(w, x, y)
