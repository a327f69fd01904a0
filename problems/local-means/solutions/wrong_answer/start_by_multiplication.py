# mistake: start-at-multiple
"""Starts part k at k times its own size."""

import numpy as np


def solve(w, x, y, counts):
    w, x, y = (np.asarray(a, dtype=np.float64) for a in (w, x, y))
    local = []
    for k, n in enumerate(counts):
        rows, targets = x[k * n : k * n + n], y[k * n : k * n + n]
        local.append(2 * rows.T @ (rows @ w - targets) / n)
    local, n = np.array(local), np.array(counts)
    return {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": n @ local / n.sum()}
