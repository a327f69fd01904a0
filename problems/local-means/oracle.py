"""The reference for `local-means`: three ways to combine the mean gradients of parts, in float64 NumPy."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray


def solve(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> dict[str, NDArray[np.float64]]:
    """Sum, plain average and average by count of the parts' mean gradients, each [D]."""
    local = _local_means(w, x, y, counts)
    share = np.array(counts, dtype=np.float64) / sum(counts)
    return {"summed": np.sum(local, axis=0), "averaged": np.mean(local, axis=0), "weighted": share @ local}


def intermediates(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> dict[str, NDArray[np.float64]]:
    """`local_means` [1, parts, D]: the mean gradient of each part, all on the one device."""
    return {"local_means": _local_means(w, x, y, counts)[None]}


def _local_means(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> NDArray[np.float64]:
    w, x, y = (np.asarray(value, dtype=np.float64) for value in (w, x, y))
    means = []
    for count, end in zip(counts, accumulate(counts), strict=True):
        rows, targets = x[end - count : end], y[end - count : end]
        means.append(2.0 * (rows.T @ (rows @ w - targets)) / count)
    return np.array(means)
