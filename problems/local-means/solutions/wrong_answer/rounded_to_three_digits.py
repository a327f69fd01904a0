"""Rounds for a table of three digits."""

import numpy as np


def solve(w, x, y, counts):
    w, x, y = (np.asarray(a, dtype=np.float64) for a in (w, x, y))
    ends = np.cumsum(counts)
    local = []
    for n, end in zip(counts, ends):
        rows, targets = x[end - n : end], y[end - n : end]
        local.append(2 * rows.T @ (rows @ w - targets) / n)
    local, n = np.array(local), np.array(counts)
    out = {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": n @ local / n.sum()}
    return {key: value.round(3) for key, value in out.items()}
