"""What goes wrong in this exercise: each function is the step with one mistake, its docstring what the student should read."""

from __future__ import annotations

from typing import Any

import numpy as np

DEVICES = 8


def _float64(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def _stacked(values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.repeat(np.asarray(value)[None], DEVICES, axis=0) for name, value in values.items()}


def _means(w: Any, b: Any, x: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of `w` and `b` and the loss, averaged over all elements of the rows given."""
    w, b, x, y = _float64(w, b, x, y)
    residual = x @ w + b - y
    return 2.0 * x.T @ residual / y.size, 2.0 * residual.sum(axis=0) / y.size, np.sum(residual**2) / y.size


def _one(
    w: Any, b: Any, x: Any, y: Any, lr: float, *, gradient_factor: float = 1.0, loss_factor: float = 1.0
) -> dict[str, np.ndarray]:
    """The right step of one replica, but for a factor on the gradient and one on the loss."""
    gradient_w, gradient_b, loss = _means(w, b, x, y)
    w, b = _float64(w, b)
    rate = lr * gradient_factor
    return {"w": w - rate * gradient_w, "b": b - rate * gradient_b, "loss": loss_factor * loss}


def _step(w: Any, b: Any, x: Any, y: Any, lr: float, **factors: float) -> dict[str, np.ndarray]:
    return _stacked(_one(w, b, x, y, lr, **factors))


def _alone(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Each replica on its own rows."""
    shards = zip(np.split(np.asarray(x), DEVICES), np.split(np.asarray(y), DEVICES), strict=True)
    replicas = [_one(w, b, *shard, lr) for shard in shards]
    return {name: np.stack([replica[name] for replica in replicas]) for name in ("w", "b", "loss")}


def replicas_apart(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Each of your replicas takes a step of its own, from its own rows. Average gradients and loss over the named axis with
    `pmean` before the update."""
    return _alone(w, b, x, y, lr)


def losses_apart(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your weights are right, but each row of `loss` is the loss of its device's rows. Average the loss with `pmean` too."""
    return {**_step(w, b, x, y, lr), "loss": _alone(w, b, x, y, lr)["loss"]}


def gradients_apart(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is averaged, but each replica follows its own gradient. Average the gradients with `pmean` too."""
    return {**_alone(w, b, x, y, lr), "loss": _step(w, b, x, y, lr)["loss"]}


def gradient_eight_times(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is the sum of the shard means, 8 times the global mean. Use `pmean` instead of `psum`, or divide by 8."""
    return _step(w, b, x, y, lr, gradient_factor=DEVICES)


def summed_everything(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss and your gradient are both the sum over the devices, 8 times the mean. Use `pmean` instead of `psum`, or divide
    by 8."""
    return _step(w, b, x, y, lr, gradient_factor=DEVICES, loss_factor=DEVICES)


def loss_summed(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is right, but the loss is the sum of the losses of the devices, 8 times their mean. Use `pmean` for it too."""
    return _step(w, b, x, y, lr, loss_factor=DEVICES)


def divided_twice(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is 8 times too small: it is divided by the number of devices twice. `pmean` divides already; drop the
    division by 8."""
    return _step(w, b, x, y, lr, gradient_factor=1 / DEVICES)


def sum_over_outputs(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You add the squared errors of the K outputs, so loss and gradient are K times too large. This loss is the mean over all
    N*K elements: `jnp.mean` without an axis."""
    outputs = np.shape(y)[1]
    return _step(w, b, x, y, lr, gradient_factor=outputs, loss_factor=outputs)


def sum_over_elements(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You add the squared errors of all elements on a device and average over the devices only. Take the mean on the device."""
    elements = np.size(y) / DEVICES
    return _step(w, b, x, y, lr, gradient_factor=elements, loss_factor=elements)


def gradient_without_two(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is half of what it should be, the loss is right. The derivative of a square brings a factor 2."""
    return _step(w, b, x, y, lr, gradient_factor=0.5)


def half_squared_error(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss and your gradient are half of what they should be. The loss of this exercise has no factor 1/2."""
    return _step(w, b, x, y, lr, gradient_factor=0.5, loss_factor=0.5)


def gradient_ascent(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You walk up the gradient: the step has the wrong sign. Subtract `lr` times the gradient."""
    return _step(w, b, x, y, lr, gradient_factor=-1.0)


def loss_after_step(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is that of the updated weights. Return the loss at the weights that came in: the one that `value_and_grad`
    gives beside the gradient."""
    after = _one(w, b, x, y, lr)
    return _stacked({**after, "loss": _means(after["w"], after["b"], x, y)[2]})


def rate_left_out(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You subtract the whole gradient, as if the learning rate were 1. Multiply the gradient by `lr`."""
    return _step(w, b, x, y, 1.0)


def rate_fixed(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is that of a learning rate of 0.01 whatever `lr` is. Use the argument `lr`."""
    return _step(w, b, x, y, 0.01)


def nothing_updated(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You return the weights as they came in. Return `w - lr * gradient`, and `b` likewise."""
    return _step(w, b, x, y, 0.0)


def bias_not_updated(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `w` but return `b` as it came in. Differentiate with respect to both parameters."""
    return _stacked({**_one(w, b, x, y, lr), "b": np.asarray(b, np.float64)})


def gradient_returned(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You return the gradients in place of the weights. Return `w - lr * gradient`, and `b` likewise."""
    gradient_w, gradient_b, loss = _means(w, b, x, y)
    return _stacked({"w": gradient_w, "b": gradient_b, "loss": loss})


def two_steps(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You take two steps. Update the weights once."""
    once = _one(w, b, x, y, lr)
    return _stacked({**_one(once["w"], once["b"], x, y, lr), "loss": once["loss"]})


def weight_decay(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You add 0.01 times `w` to the gradient of `w`. The loss of this exercise has no weight decay; leave it out."""
    once = _one(w, b, x, y, lr)
    return _stacked({**once, "w": once["w"] - lr * 0.01 * np.asarray(w, np.float64)})


def bias_from_new_weights(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `b` with the gradient at the updated `w`. Compute both gradients at the weights that came in, then update."""
    once = _one(w, b, x, y, lr)
    return _stacked({**once, "b": np.asarray(b, np.float64) - lr * _means(once["w"], b, x, y)[1]})


def first_device_only(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """All your replicas hold the step of device 0, so only the first N/8 rows count. Average over the named axis with `pmean`."""
    rows = len(np.asarray(x)) // DEVICES
    return _step(w, b, np.asarray(x)[:rows], np.asarray(y)[:rows], lr)


def first_replica_only(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Only row 0 of your weights is updated, the other replicas hold the old ones. Return every replica's own result."""
    once = _step(w, b, x, y, lr)
    old = _step(w, b, x, y, 0.0)
    first = np.arange(DEVICES) == 0
    return {
        "w": np.where(first[:, None, None], once["w"], old["w"]),
        "b": np.where(first[:, None], once["b"], old["b"]),
        "loss": once["loss"],
    }


def bias_left_out(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your model predicts x W without the bias. Add `b` to the prediction, and its gradient follows."""
    return _stacked({**_one(w, np.zeros(np.shape(b)), x, y, lr), "b": np.asarray(b, np.float64)})


def transposed_weights(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your `w` comes back transposed when it is square. Rows are features and columns are outputs: shape `(8, D, K)`."""
    once = _one(w, b, x, y, lr)
    square = once["w"].shape[0] == once["w"].shape[1]
    return _stacked({**once, "w": once["w"].T if square else once["w"]})


def transposed_model(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your model multiplies with the transpose of `w` when it is square. The prediction is `x @ w + b`, and `w` has shape
    `(D, K)`."""
    w = np.asarray(w, np.float64)
    if w.shape[0] != w.shape[1]:
        return _step(w, b, x, y, lr)
    turned = _one(w.T, b, x, y, lr)
    return _stacked({**turned, "w": turned["w"].T})


def first_output_only(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Only the first of the K outputs counts in your answer. Average the squared errors over all of them."""
    first = _one(np.asarray(w)[:, :1], np.asarray(b)[:1], x, np.asarray(y)[:, :1], lr)
    w, b = (np.array(array, np.float64) for array in (w, b))
    w[:, :1], b[:1] = first["w"], first["b"]
    return _stacked({"w": w, "b": b, "loss": first["loss"]})


def three_decimals(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Your answers are rounded to three decimals. Return them as they are: the comparison allows for rounding errors."""
    return {name: np.round(value, 3) for name, value in _step(w, b, x, y, lr).items()}
