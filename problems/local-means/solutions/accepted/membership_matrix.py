"""Builds a matrix of parts by rows, and does everything with it."""

import numpy as np


def solve(w, x, y, counts):
    x, residual = np.asarray(x), np.asarray(x) @ np.asarray(w) - np.asarray(y)
    counts = np.array(counts)
    member = np.repeat(np.eye(len(counts), dtype=np.float32), counts, axis=1)
    local = 2 * (member * residual) @ x / counts[:, None].astype(np.float32)
    share = (counts / counts.sum()).astype(np.float32)
    return {"summed": local.sum(0), "averaged": local.mean(0), "weighted": share @ local}
