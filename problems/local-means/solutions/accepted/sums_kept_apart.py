"""Carries sums and counts, and divides as late as possible."""

import itertools

import jax
import jax.numpy as jnp


@jax.jit
def gradient_sum(w, x, y):
    return jax.grad(lambda v: jnp.sum((x @ v - y) ** 2))(w)


def solve(w, x, y, counts):
    ends = list(itertools.accumulate(counts))
    sums = [gradient_sum(w, x[end - n : end], y[end - n : end]) for n, end in zip(counts, ends)]
    summed = sum(total / n for total, n in zip(sums, counts))
    return {"weighted": sum(sums) / ends[-1], "summed": summed, "averaged": summed / len(counts)}
