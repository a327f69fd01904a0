"""What goes wrong in this exercise: each function is the step with one mistake, its docstring what the student should read."""

from __future__ import annotations

from typing import Any

import numpy as np

DEVICES = 8


def _float64(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def _loss(w: np.ndarray, b: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum((x @ w + b - y) ** 2) / len(x))


def _gradient(w: np.ndarray, b: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    residual = x @ w + b - y
    return 2.0 * x.T @ residual / len(x), 2.0 * residual.sum(axis=0) / len(x)


def _step(
    w: Any, b: Any, x: Any, y: Any, lr: float, *, w_factor: float = 1.0, b_factor: float = 1.0, loss_factor: float = 1.0
) -> dict[str, np.ndarray]:
    """The right step, but for factors on the two gradients and on the loss."""
    w, b, x, y = _float64(w, b, x, y)
    gradient_w, gradient_b = _gradient(w, b, x, y)
    return {
        "w": w - lr * w_factor * gradient_w,
        "b": b - lr * b_factor * gradient_b,
        "loss": loss_factor * _loss(w, b, x, y),
    }


def gradient_eight_times(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is the sum of the shard means, 8 times the global mean. `shard_map` already sums the gradient of a value
    that is equal on all devices, and `pmean` cannot undo that: make the parameters varying with `jax.lax.pcast` first, or
    divide by 8."""
    return _step(w, b, x, y, lr, w_factor=DEVICES, b_factor=DEVICES)


def weight_gradient_eight_times(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient of `w` is 8 times too large while that of `b` is right. Average both over the devices with `pmean`."""
    return _step(w, b, x, y, lr, w_factor=DEVICES)


def bias_gradient_eight_times(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient of `b` is 8 times too large while that of `w` is right. Average both over the devices with `pmean`."""
    return _step(w, b, x, y, lr, b_factor=DEVICES)


def summed_everything(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss and your gradient are both the sum over the shards, 8 times the mean. Use `pmean` instead of `psum`, or divide
    by 8."""
    return _step(w, b, x, y, lr, w_factor=DEVICES, b_factor=DEVICES, loss_factor=DEVICES)


def loss_summed(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is right, but the loss is the sum of the shard losses, 8 times their mean. Use `pmean` for the loss too."""
    return _step(w, b, x, y, lr, loss_factor=DEVICES)


def divided_twice(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is 8 times too small: it is divided by the number of devices twice. The gradient of a `pmean`ed loss is
    divided already; drop the second `pmean`, or the division by 8."""
    return _step(w, b, x, y, lr, w_factor=1 / DEVICES, b_factor=1 / DEVICES)


def gradient_without_two(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is half of what it should be, the loss is right. The derivative of a square brings a factor 2."""
    return _step(w, b, x, y, lr, w_factor=0.5, b_factor=0.5)


def half_squared_error(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss and your gradient are half of what they should be. The loss of this exercise has no factor 1/2."""
    return _step(w, b, x, y, lr, w_factor=0.5, b_factor=0.5, loss_factor=0.5)


def mean_over_outputs(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You average the squared errors over the K outputs, so loss and gradient are K times too small. Sum over the outputs
    (`axis=1`) and average over the rows only."""
    part = 1 / np.shape(y)[1]
    return _step(w, b, x, y, lr, w_factor=part, b_factor=part, loss_factor=part)


def sum_over_rows(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You add the squared errors of all rows and never divide, so loss and gradient are N times too large. Divide by N."""
    rows = len(np.asarray(x))
    return _step(w, b, x, y, lr, w_factor=rows, b_factor=rows, loss_factor=rows)


def local_sum_then_mean(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Each device adds up its rows and you average over the devices, so loss and gradient are N/8 times too large. Take the
    mean over the rows of the shard, or divide a `psum` by N."""
    rows = len(np.asarray(x)) / DEVICES
    return _step(w, b, x, y, lr, w_factor=rows, b_factor=rows, loss_factor=rows)


def gradient_ascent(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You walk up the gradient: the step has the wrong sign. Subtract `lr` times the gradient."""
    return _step(w, b, x, y, lr, w_factor=-1.0, b_factor=-1.0)


def loss_after_step(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is that of the updated weights. Return the loss at the weights that came in: the one that `value_and_grad`
    gives beside the gradient."""
    after = _step(w, b, x, y, lr)
    x, y = _float64(x, y)
    return {**after, "loss": _loss(after["w"], after["b"], x, y)}


def rate_left_out(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You subtract the whole gradient, as if the learning rate were 1. Multiply the gradient by `lr`."""
    return _step(w, b, x, y, 1.0)


def rate_fixed(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is that of a learning rate of 0.01 whatever `lr` is. Use the argument `lr`."""
    return _step(w, b, x, y, 0.01)


def rate_as_integer(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your learning rate is cut down to a whole number, so a fraction becomes 0 and nothing moves. Keep `lr` a float."""
    return _step(w, b, x, y, float(int(lr)))


def nothing_updated(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You return the weights as they came in. Return `w - lr * gradient`, and `b` likewise."""
    return _step(w, b, x, y, 0.0)


def weights_not_updated(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `b` but return `w` as it came in. Subtract `lr` times the gradient from both."""
    return _step(w, b, x, y, lr, w_factor=0.0)


def bias_not_updated(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `w` but return `b` as it came in. Differentiate with respect to both: `argnums=(0, 1)`."""
    return _step(w, b, x, y, lr, b_factor=0.0)


def gradient_returned(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You return the gradients in place of the weights. Return `w - lr * gradient`, and `b` likewise."""
    w, b, x, y = _float64(w, b, x, y)
    gradient_w, gradient_b = _gradient(w, b, x, y)
    return {"w": gradient_w, "b": gradient_b, "loss": _loss(w, b, x, y)}


def two_steps(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You take two steps. Update the weights once."""
    once = _step(w, b, x, y, lr)
    twice = _step(once["w"], once["b"], x, y, lr)
    return {**twice, "loss": once["loss"]}


def weight_decay(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You add 0.01 times `w` to the gradient of `w`. The loss of this exercise has no weight decay; leave it out."""
    once = _step(w, b, x, y, lr)
    return {**once, "w": once["w"] - lr * 0.01 * np.asarray(w, np.float64)}


def bias_from_new_weights(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `b` with the gradient at the updated `w`. Compute both gradients at the weights that came in, then update."""
    once = _step(w, b, x, y, lr)
    w, b, x, y = _float64(w, b, x, y)
    return {**once, "b": b - lr * _gradient(once["w"], b, x, y)[1]}


def first_shard_only(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Only the first N/8 rows count in your answer. Every device must work on its own rows, and `pmean` must join them."""
    rows = len(np.asarray(x)) // DEVICES
    return _step(w, b, np.asarray(x)[:rows], np.asarray(y)[:rows], lr)


def gradient_of_first_shard(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is right, but the step follows the gradient of device 0 alone. Average the gradients with `pmean` too."""
    return {**first_shard_only(w, b, x, y, lr), "loss": _step(w, b, x, y, lr)["loss"]}


def loss_of_first_shard(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is right, but the loss is that of device 0 alone. Average the loss with `pmean` too."""
    return {**_step(w, b, x, y, lr), "loss": first_shard_only(w, b, x, y, lr)["loss"]}


def bias_left_out(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your model predicts x W without the bias. Add `b` to the prediction, and its gradient follows."""
    without = _step(w, np.zeros(np.shape(b)), x, y, lr)
    return {**without, "b": np.asarray(b, np.float64)}


def transposed_weights(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your `w` comes back transposed when it is square. Rows are features and columns are outputs: shape `(D, K)`."""
    once = _step(w, b, x, y, lr)
    square = once["w"].shape[0] == once["w"].shape[1]
    return {**once, "w": once["w"].T if square else once["w"]}


def transposed_model(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your model multiplies with the transpose of `w` when it is square. The prediction is `x @ w + b`, and `w` has shape
    `(D, K)`."""
    w = np.asarray(w, np.float64)
    if w.shape[0] != w.shape[1]:
        return _step(w, b, x, y, lr)
    turned = _step(w.T, b, x, y, lr)
    return {**turned, "w": turned["w"].T}


def first_output_only(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Only the first of the K outputs counts in your answer. Sum the squared errors over all of them."""
    first = _step(np.asarray(w)[:, :1], np.asarray(b)[:1], x, np.asarray(y)[:, :1], lr)
    w, b = (np.array(array, np.float64) for array in (w, b))
    w[:, :1], b[:1] = first["w"], first["b"]
    return {"w": w, "b": b, "loss": first["loss"]}


def three_decimals(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your answers are rounded to three decimals. Return them as they are: the comparison allows for rounding errors."""
    return {name: np.round(value, 3) for name, value in _step(w, b, x, y, lr).items()}
