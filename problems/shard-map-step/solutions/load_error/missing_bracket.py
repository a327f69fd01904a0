"""Does not parse."""

import jax
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,)


def solve(w, b, x, y, lr):
    return {"w": w, "b": b, "loss": 0.0}
