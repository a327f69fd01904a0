"""Waits for the loss to reach zero, which one step does not do."""


def solve(w, b, x, y, lr):
    loss = 1.0
    while loss > 0.0:
        loss = max(loss, lr, 1.0)
    return {"w": w, "b": b, "loss": loss}
