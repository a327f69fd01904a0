import numpy as np


def solve(w, x, y, counts):
    w, x, y = (np.asarray(a, dtype=np.float64) for a in (w, x, y))
    starts = np.cumsum(counts)[:-1]
    parts = zip(np.split(x, starts), np.split(y, starts))
    grads = np.stack([2 / len(yp) * xp.T @ (xp @ w - yp) for xp, yp in parts])
    weights = np.array(counts, dtype=np.float64)
    return {
        "summed": grads.sum(axis=0),
        "averaged": grads.mean(axis=0),
        "weighted": weights @ grads / weights.sum(),
    }
