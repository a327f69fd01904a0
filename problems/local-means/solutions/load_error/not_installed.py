"""Uses a library that is not there."""

import torch


def solve(w, x, y, counts):
    return {"summed": torch.zeros(len(w)), "averaged": torch.zeros(len(w)), "weighted": torch.zeros(len(w))}
