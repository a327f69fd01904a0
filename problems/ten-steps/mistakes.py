"""Wrong training loops that students really write. Each docstring is the hint that whoever makes the mistake reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Answer = dict[str, Array]
DEVICES = 4


def _float64(*values: Any) -> tuple[Array, ...]:
    return tuple(np.asarray(value, dtype=np.float64) for value in values)


def _loss(w: Array, x: Array, y: Array) -> float:
    return float(np.mean((x @ w - y) ** 2))


def _gradient(w: Array, x: Array, y: Array) -> Array:
    return np.asarray(2.0 * (x.T @ (x @ w - y)) / len(y))


def _descend(w: Array, x: Array, y: Array, steps: int, change: Callable[[Array, int], Array]) -> Answer:
    """The right loop, except that update t adds `change(weights, t)`."""
    weights, losses = [], []
    for t in range(steps):
        losses.append(_loss(w, x, y))
        w = w + change(w, t)
        weights.append(w)
    return {"weights": np.array(weights), "losses": np.array(losses)}


def _right(w: Array, x: Array, y: Array, lr: float, steps: int) -> Answer:
    return _descend(w, x, y, steps, lambda v, t: -lr * _gradient(v, x, y))


def losses_after_update(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your losses are one step late: each belongs to the weights after its update. Record the loss before you update;
    the first entry is the loss of the weights that came in."""
    w, x, y = _float64(w, x, y)
    right = _right(w, x, y, lr, steps)
    return {"weights": right["weights"], "losses": np.array([_loss(v, x, y) for v in right["weights"]])}


def weights_before_update(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your weights are one step early: the first row is the start and the last update is missing. Store the weights
    after you have updated them."""
    w, x, y = _float64(w, x, y)
    right = _right(w, x, y, lr, steps)
    return {"weights": np.vstack([w[None], right["weights"][:-1]]), "losses": right["losses"]}


def last_row_repeated(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Every row of your weights is the last one: you stored the same array again and again and changed it in place, or
    repeated the final weights. Store a copy after each update."""
    w, x, y = _float64(w, x, y)
    right = _right(w, x, y, lr, steps)
    return {"weights": np.tile(right["weights"][-1], (steps, 1)), "losses": right["losses"]}


def weights_never_carried(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Each of your updates starts again from the weights that came in, so all steps are the first one. Carry the
    updated weights into the next step."""
    w, x, y = _float64(w, x, y)
    first = w - lr * _gradient(w, x, y)
    return {"weights": np.tile(first, (steps, 1)), "losses": np.full(steps, _loss(w, x, y))}


def gradient_of_start(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """You computed the gradient once, at the start, and used it in every update. Compute it anew at the current weights
    of each step."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr * gradient)


def newest_first(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your history runs backwards: the last update stands in row 0. Put the first update first."""
    w, x, y = _float64(w, x, y)
    right = _right(w, x, y, lr, steps)
    return {"weights": right["weights"][::-1].copy(), "losses": right["losses"][::-1].copy()}


def summed_squares(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your loss is the sum of the squared residuals: loss and gradient are N times too large, and the steps overshoot.
    Take the mean over all N rows."""
    w, x, y = _float64(w, x, y)
    wrong = _descend(w, x, y, steps, lambda v, t: -lr * len(y) * _gradient(v, x, y))
    return {"weights": wrong["weights"], "losses": len(y) * wrong["losses"]}


def summed_losses(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your weights are right but your losses are sums over the rows, N times too large. Report the mean of the squared
    residuals."""
    w, x, y = _float64(w, x, y)
    right = _right(w, x, y, lr, steps)
    return {"weights": right["weights"], "losses": len(y) * right["losses"]}


def summed_local_gradients(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Each of your updates is 4 times too long: the mean gradients of the 4 devices were added (`psum`, or a gradient
    that was already summed). Average them: `pmean`, or a division by 4."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr * DEVICES * _gradient(v, x, y))


def averaged_twice(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Each of your updates is a quarter of the right one: a gradient that is already the global mean was divided by the
    4 devices again. Divide once."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr * _gradient(v, x, y) / DEVICES)


def factor_two_missing(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Each of your updates is half of the right one: the derivative of a square brings a factor 2. The gradient is 2/N
    times `x.T @ (x @ w - y)`."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr * _gradient(v, x, y) / 2.0)


def halved_loss(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your loss carries a factor 1/2, which halves losses and updates alike. The loss here is the plain mean of the
    squared residuals; remove the 1/2."""
    w, x, y = _float64(w, x, y)
    wrong = _descend(w, x, y, steps, lambda v, t: -lr * _gradient(v, x, y) / 2.0)
    return {"weights": wrong["weights"], "losses": wrong["losses"] / 2.0}


def ascent(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """You add the gradient, and the loss grows. Subtract it: `w - lr * gradient`, with the residual `x @ w - y`."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: lr * _gradient(v, x, y))


def fixed_rate(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your steps always use the rate 0.1. Use the argument `lr`; it differs from case to case."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -0.1 * _gradient(v, x, y))


def rate_over_step(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your rate shrinks as lr, lr/2, lr/3, ... from step to step. Use the same `lr` in every update."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr / (1.0 + t) * _gradient(v, x, y))


def decaying_rate(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your rate decays as lr / (1 + 0.1 t) with the step t. Use the same `lr` in every update."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr / (1.0 + 0.1 * t) * _gradient(v, x, y))


def momentum(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your first update is right and the later ones are too long: they carry a momentum of 0.9. Use plain gradient
    descent, `w - lr * gradient`, without memory of earlier gradients."""
    w, x, y = _float64(w, x, y)
    velocity = np.zeros_like(w)

    def change(v: Array, t: int) -> Array:
        nonlocal velocity
        velocity = 0.9 * velocity + _gradient(v, x, y)
        step: Array = -lr * velocity
        return step

    return _descend(w, x, y, steps, change)


def weight_decay(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your updates also shrink the weights, each time by 0.01 times the rate. Remove the weight decay, or take plain
    SGD as the optimizer."""
    w, x, y = _float64(w, x, y)
    return _descend(w, x, y, steps, lambda v, t: -lr * (_gradient(v, x, y) + 0.01 * v))


def quarter_per_step(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Each of your steps looks at another quarter of the rows, as in mini-batch training. Every step is over all N
    rows, each device bringing its quarter to the same step."""
    w, x, y = _float64(w, x, y)
    xs, ys = np.split(x, DEVICES), np.split(y, DEVICES)
    weights, losses = [], []
    for t in range(steps):
        part, targets = xs[t % DEVICES], ys[t % DEVICES]
        losses.append(_loss(w, part, targets))
        w = w - lr * _gradient(w, part, targets)
        weights.append(w)
    return {"weights": np.array(weights), "losses": np.array(losses)}


def first_quarter(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """All your steps use the first quarter of the rows alone, those of one device. Average loss and gradient over all N
    rows."""
    w, x, y = _float64(w, x, y)
    rows = len(y) // DEVICES
    return _right(w, x[:rows], y[:rows], lr, steps)


def local_losses(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Your weights are right, but your losses are those of the first device's rows. Average the loss over all devices
    as you did the gradient."""
    w, x, y = _float64(w, x, y)
    right = _right(w, x, y, lr, steps)
    rows = len(y) // DEVICES
    before = np.vstack([w[None], right["weights"][:-1]])
    return {"weights": right["weights"], "losses": np.array([_loss(v, x[:rows], y[:rows]) for v in before])}


def averaged_at_the_end(w: Any, x: Any, y: Any, lr: float, steps: int) -> Answer:
    """Each device trained on its own rows and the results were averaged afterwards: only the first update is right.
    Average the gradient within every step, before the weights change."""
    w, x, y = _float64(w, x, y)
    runs = [_right(w, xs, ys, lr, steps) for xs, ys in zip(np.split(x, DEVICES), np.split(y, DEVICES), strict=True)]
    return {key: np.mean([run[key] for run in runs], axis=0) for key in ("weights", "losses")}
