"""Takes the weighted average for what it is, the gradient of the whole batch, and prints all local means."""

import numpy as np


def mean_gradient(w, x, y):
    return 2.0 * x.T @ (x @ w - y) / len(y)


def solve(w, x, y, counts):
    w, x, y = np.array(w), np.array(x), np.array(y)
    start, local = 0, []
    for k, count in enumerate(counts):
        local.append(mean_gradient(w, x[start : start + count], y[start : start + count]))
        start += count
        print(f"part {k}: {count} rows, {local[-1].tolist()}")
    summed = sum(local)
    return {"summed": summed, "averaged": summed / len(local), "weighted": mean_gradient(w, x, y)}
