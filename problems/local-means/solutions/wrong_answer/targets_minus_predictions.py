# mistake: sign-flipped
"""The residual the wrong way round."""

import numpy as np


def solve(w, x, y, counts):
    w, x, y = (np.asarray(a, dtype=np.float64) for a in (w, x, y))
    ends = np.cumsum(counts)
    local = []
    for n, end in zip(counts, ends):
        rows, targets = x[end - n : end], y[end - n : end]
        local.append(2 * rows.T @ (targets - rows @ w) / n)
    local, n = np.array(local), np.array(counts)
    return {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": n @ local / n.sum()}
