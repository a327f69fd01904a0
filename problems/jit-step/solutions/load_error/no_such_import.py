"""Imports a class that JAX has not had for years."""

import jax
from jax.sharding import PositionalSharding

rows = PositionalSharding(jax.devices()).reshape(4, 1)


def solve(w, x, y, lr):
    raise NotImplementedError
