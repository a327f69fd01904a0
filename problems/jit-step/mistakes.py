"""Wrong steps that students really write. Each docstring is the hint that whoever makes the mistake reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Answer = dict[str, NDArray[np.float64]]
DEVICES = 4


def _float64(*values: Any) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.asarray(value, dtype=np.float64) for value in values)


def _loss(w: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.mean((x @ w - y) ** 2))


def _gradient(w: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(2.0 * (x.T @ (x @ w - y)) / len(y))


def summed_squares(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your loss is the sum of the squared residuals, so loss and gradient are N times too large. Take the mean over all
    N rows: `jnp.mean`, not `jnp.sum` or `r @ r`."""
    w, x, y = _float64(w, x, y)
    gradient = len(y) * _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": len(y) * _loss(w, x, y), "gradient": gradient}


def summed_gradient(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your loss is a mean but your gradient is a sum over the rows: it is N times too large. Divide it by N, the number
    of rows of the whole batch."""
    w, x, y = _float64(w, x, y)
    gradient = len(y) * _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def summed_local_gradients(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your gradient is 4 times the global one: the mean gradients of the 4 devices were added up. Under `jit` the mean
    is already the one over the whole batch; leave out the extra sum or factor."""
    w, x, y = _float64(w, x, y)
    gradient = DEVICES * _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def summed_local_means(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your loss and your gradient are both 4 times too large: you added the means of the 4 devices. Their mean is the
    global value; better, write the mean over all N rows once and let `jit` split it."""
    w, x, y = _float64(w, x, y)
    gradient = DEVICES * _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": DEVICES * _loss(w, x, y), "gradient": gradient}


def averaged_twice(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your gradient is a quarter of the right one: a mean over the whole batch was divided by the 4 devices once more.
    Drop the second division."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y) / DEVICES
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def factor_two_missing(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your gradient is half of the right one: the derivative of a square brings a factor 2. The gradient of the mean
    squared residual is 2/N times `x.T @ (x @ w - y)`."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y) / 2.0
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def halved_loss(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your loss carries a factor 1/2, which halves the gradient too. The loss here is the plain mean of the squared
    residuals; remove the 1/2."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y) / 2.0
    return {"w": w - lr * gradient, "loss": _loss(w, x, y) / 2.0, "gradient": gradient}


def ascent(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """You added the gradient to the weights, which climbs the loss. Subtract it: `w - lr * gradient`."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": w + lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def gradient_negated(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your gradient has the wrong sign, and the weights move uphill with it. The residual in the gradient is prediction
    minus target, `x @ w - y`."""
    w, x, y = _float64(w, x, y)
    gradient = -_gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def gradient_after_update(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """You return the gradient at the updated weights. Return the one that made the update, taken at the weights that
    came in."""
    w, x, y = _float64(w, x, y)
    new = w - lr * _gradient(w, x, y)
    return {"w": new, "loss": _loss(w, x, y), "gradient": _gradient(new, x, y)}


def loss_after_update(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """You return the loss of the updated weights. Compute it before the update, at the weights that came in, as
    `jax.value_and_grad` does."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    new = w - lr * gradient
    return {"w": new, "loss": _loss(new, x, y), "gradient": gradient}


def evaluated_after_update(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Both your loss and your gradient belong to the updated weights. Take both at the weights that came in, then
    update."""
    w, x, y = _float64(w, x, y)
    new = w - lr * _gradient(w, x, y)
    return {"w": new, "loss": _loss(new, x, y), "gradient": _gradient(new, x, y)}


def fixed_rate(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your step always uses the rate 0.1. Use the argument `lr`; it differs from case to case."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": w - 0.1 * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def rate_left_out(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """You subtract the whole gradient, as if the rate were 1. Multiply it by `lr` first."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": w - gradient, "loss": _loss(w, x, y), "gradient": gradient}


def scaled_gradient_returned(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """You return `lr * gradient` under the key "gradient". The weights are right; return the gradient itself, without
    the rate."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": lr * gradient}


def start_forgotten(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """You return the change of the weights, `-lr * gradient`, without the weights that it starts from. Return `w - lr *
    gradient`; a start at zero hides the difference."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": -lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def gradient_at_zero(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your gradient is the one at weights of zero: its residual is `-y`. That is right for a start at zero only; use `x
    @ w - y`."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(np.zeros_like(w), x, y)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def weight_decay(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your update also shrinks the weights, by 0.01 times the rate, though loss and gradient are right. Remove the
    weight decay, or take plain SGD as the optimizer."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": w - lr * (gradient + 0.01 * w), "loss": _loss(w, x, y), "gradient": gradient}


def first_quarter(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your answer depends on the first quarter of the rows alone, those of one device. Use all N rows in loss and
    gradient."""
    w, x, y = _float64(w, x, y)
    rows = len(y) // DEVICES
    x, y = x[:rows], y[:rows]
    gradient = _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}


def root_mean_square(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your loss is the square root of the mean squared residual. Return the mean of the squares itself, without the
    root."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y)
    return {"w": w - lr * gradient, "loss": np.sqrt(_loss(w, x, y)), "gradient": gradient}


def divided_by_all_elements(w: Any, x: Any, y: Any, lr: float) -> Answer:
    """Your gradient is D times too small: it was divided by all N * D elements of `x`, perhaps through `x.size`. Divide
    by the N rows, `x.shape[0]`."""
    w, x, y = _float64(w, x, y)
    gradient = _gradient(w, x, y) / len(w)
    return {"w": w - lr * gradient, "loss": _loss(w, x, y), "gradient": gradient}
