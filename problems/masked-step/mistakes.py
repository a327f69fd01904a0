"""What goes wrong in this exercise: each function is the step with one mistake, its docstring what the student should read."""

from __future__ import annotations

from typing import Any

import numpy as np

DEVICES = 8


def _float64(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def _valid(x: Any, y: Any, mask: Any) -> list[np.ndarray]:
    rows = np.asarray(mask, bool)
    return [array[rows] for array in _float64(x, y)]


def _sums(w: Any, b: Any, x: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of `w` and `b` and the loss, summed over the rows given."""
    w, b, x, y = _float64(w, b, x, y)
    residual = x @ w + b - y
    return 2.0 * x.T @ residual, 2.0 * residual.sum(axis=0), np.sum(residual**2)


def _means(w: Any, b: Any, x: Any, y: Any, mask: Any) -> list[np.ndarray]:
    """The right gradients of `w` and `b`, and the right loss."""
    return [total / np.sum(mask) for total in _sums(w, b, *_valid(x, y, mask))]


def _answer(w: Any, b: Any, lr: float, gradient_w: Any, gradient_b: Any, loss: Any) -> dict[str, np.ndarray]:
    w, b, loss = _float64(w, b, loss)
    return {"w": w - lr * gradient_w, "b": b - lr * gradient_b, "loss": loss}


def _step(
    w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float, *, gradient_factor: float = 1.0, loss_factor: float = 1.0
) -> dict[str, np.ndarray]:
    """The right step, but for a factor on the gradient and one on the loss."""
    gradient_w, gradient_b, loss = _means(w, b, x, y, mask)
    return _answer(w, b, lr, gradient_factor * gradient_w, gradient_factor * gradient_b, loss_factor * loss)


def _shard_means(w: Any, b: Any, x: Any, y: Any, mask: Any) -> list[list[np.ndarray]]:
    """Gradients and loss of every shard that has a valid row, averaged over its own."""
    shards = zip(*(np.split(np.asarray(array), DEVICES) for array in (x, y, mask)), strict=True)
    return [_means(w, b, *shard) for shard in shards if shard[2].any()]


def mean_of_shard_means(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You average the means of the devices that have valid rows, so rows on a sparse device count for more. Reduce sums and
    counts with `psum`, and divide once by the number of valid rows of the whole batch."""
    shards = _shard_means(w, b, x, y, mask)
    return _answer(w, b, lr, *(sum(parts) / len(shards) for parts in zip(*shards, strict=True)))


def mean_of_all_shard_means(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You average the means of all 8 devices, where a device without valid rows counts as 0. Reduce sums and counts with
    `psum`, and divide once by the number of valid rows of the whole batch."""
    shards = _shard_means(w, b, x, y, mask)
    return _answer(w, b, lr, *(sum(parts) / DEVICES for parts in zip(*shards, strict=True)))


def _some_device_is_empty(mask: Any) -> bool:
    return not np.asarray(mask, bool).reshape(DEVICES, -1).any(axis=1).all()


def nan_loss_from_empty_devices(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is NaN when a device has no valid row: it divides 0 by its own count, 0. Reduce sums and counts with `psum`, and
    divide once by the number of valid rows of the whole batch."""
    right = _step(w, b, x, y, mask, lr)
    return {**right, "loss": np.asarray(np.nan)} if _some_device_is_empty(mask) else right


def nan_from_empty_devices(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your answers are NaN when a device has no valid row: it divides 0 by its own count, 0. Reduce sums and counts with `psum`,
    and divide once by the number of valid rows of the whole batch."""
    right = _step(w, b, x, y, mask, lr)
    return {name: value * np.nan for name, value in right.items()} if _some_device_is_empty(mask) else right


def divided_by_all_rows(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You divide by all N rows, valid or not, so loss and gradient are too small. Divide by the number of valid rows: a `psum`
    of the mask's sum."""
    share = float(np.mean(mask))
    return _step(w, b, x, y, mask, lr, gradient_factor=share, loss_factor=share)


def gradient_over_all_rows(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is right, but the gradient is divided by all N rows, valid or not. Divide it by the number of valid rows too."""
    return _step(w, b, x, y, mask, lr, gradient_factor=float(np.mean(mask)))


def loss_over_all_rows(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is right, but the loss is divided by all N rows, valid or not. Divide it by the number of valid rows too."""
    return _step(w, b, x, y, mask, lr, loss_factor=float(np.mean(mask)))


def never_divided(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You add up the squared errors of the valid rows and never divide by their number. Divide by a `psum` of the mask's sum."""
    count = float(np.sum(mask))
    return _step(w, b, x, y, mask, lr, gradient_factor=count, loss_factor=count)


def mask_ignored(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Rows that are not valid count in your answer. Take them out of the residuals with `jnp.where(mask[:, None], ..., 0)` and
    divide by the number of valid rows."""
    return _answer(w, b, lr, *(total / len(np.asarray(x)) for total in _sums(w, b, x, y)))


def mask_of_first_device(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Every device masks its rows with the first N/8 entries of the mask. Split the mask by rows as `x` and `y`: give it the same
    spec."""
    rows = len(np.asarray(mask)) // DEVICES
    everywhere = np.tile(np.asarray(mask)[:rows], DEVICES)
    return _answer(w, b, lr, *(total / np.sum(mask) for total in _sums(w, b, *_valid(x, y, everywhere))))


def padding_through_the_bias(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You set the rows of `x` and `y` that are not valid to 0, but such a row is still predicted as `b`, and that counts as its
    error. Mask the residual, not only the inputs."""
    rows = np.asarray(mask, bool)[:, None]
    zeroed = np.where(rows, x, 0.0), np.where(rows, y, 0.0)
    return _answer(w, b, lr, *(total / np.sum(mask) for total in _sums(w, b, *zeroed)))


def padding_as_zero_rows(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You set the rows of `x` and `y` that are not valid to 0 and average over all N rows. Such a row still has the error `b`:
    mask the residual, and divide by the number of valid rows."""
    rows = np.asarray(mask, bool)[:, None]
    return mask_ignored(w, b, np.where(rows, x, 0.0), np.where(rows, y, 0.0), mask, lr)


def gradient_eight_times(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is 8 times too large: it is summed over the devices twice. `shard_map` already sums the gradient of a value
    that is equal on all devices; make the parameters varying with `jax.lax.pcast`, or drop your own `psum`."""
    return _step(w, b, x, y, mask, lr, gradient_factor=DEVICES)


def divided_by_eight(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss and your gradient are 8 times too small. Parts that are divided by the count of the whole batch already must be
    added up with `psum`; `pmean` divides them by 8 again."""
    return _step(w, b, x, y, mask, lr, gradient_factor=1 / DEVICES, loss_factor=1 / DEVICES)


def gradient_divided_by_eight(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is right, but the gradient is 8 times too small. Add the parts of the gradient up with `psum`, as those of
    the loss, instead of averaging them with `pmean`."""
    return _step(w, b, x, y, mask, lr, gradient_factor=1 / DEVICES)


def loss_of_first_shard(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is right, but the loss holds the squared errors of device 0 alone. Add them up over the devices with `psum`."""
    rows = len(np.asarray(x)) // DEVICES
    first = [np.asarray(array)[:rows] for array in (x, y, mask)]
    part = _sums(w, b, *_valid(*first))[2] / np.sum(mask)
    return {**_step(w, b, x, y, mask, lr), "loss": part}


def gradient_of_first_shard(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is right, but the gradient holds the rows of device 0 alone. Add it up over the devices with `psum`."""
    rows = len(np.asarray(x)) // DEVICES
    first = [np.asarray(array)[:rows] for array in (x, y, mask)]
    gradient_w, gradient_b, _ = _sums(w, b, *_valid(*first))
    count = np.sum(mask)
    return _answer(w, b, lr, gradient_w / count, gradient_b / count, _means(w, b, x, y, mask)[2])


def gradient_without_two(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your gradient is half of what it should be, the loss is right. The derivative of a square brings a factor 2."""
    return _step(w, b, x, y, mask, lr, gradient_factor=0.5)


def half_squared_error(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss and your gradient are half of what they should be. The loss of this exercise has no factor 1/2."""
    return _step(w, b, x, y, mask, lr, gradient_factor=0.5, loss_factor=0.5)


def mean_over_outputs(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You average the squared errors over the K outputs, so loss and gradient are K times too small. Sum over the outputs and
    divide by the number of valid rows only."""
    part = 1 / np.shape(y)[1]
    return _step(w, b, x, y, mask, lr, gradient_factor=part, loss_factor=part)


def gradient_ascent(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You walk up the gradient: the step has the wrong sign. Subtract `lr` times the gradient."""
    return _step(w, b, x, y, mask, lr, gradient_factor=-1.0)


def loss_after_step(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your loss is that of the updated weights. Return the loss at the weights that came in: the one that `value_and_grad`
    gives beside the gradient."""
    after = _step(w, b, x, y, mask, lr)
    return {**after, "loss": _means(after["w"], after["b"], x, y, mask)[2]}


def rate_left_out(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You subtract the whole gradient, as if the learning rate were 1. Multiply the gradient by `lr`."""
    return _step(w, b, x, y, mask, 1.0)


def rate_fixed(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your step is that of a learning rate of 0.1 whatever `lr` is. Use the argument `lr`."""
    return _step(w, b, x, y, mask, 0.1)


def nothing_updated(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You return the weights as they came in. Return `w - lr * gradient`, and `b` likewise."""
    return _step(w, b, x, y, mask, 0.0)


def bias_not_updated(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `w` but return `b` as it came in. Differentiate with respect to both: `argnums=(0, 1)`."""
    return {**_step(w, b, x, y, mask, lr), "b": np.asarray(b, np.float64)}


def two_steps(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You take two steps. Update the weights once."""
    once = _step(w, b, x, y, mask, lr)
    return {**_step(once["w"], once["b"], x, y, mask, lr), "loss": once["loss"]}


def weight_decay(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You add 0.01 times `w` to the gradient of `w`. The loss of this exercise has no weight decay; leave it out."""
    once = _step(w, b, x, y, mask, lr)
    return {**once, "w": once["w"] - lr * 0.01 * np.asarray(w, np.float64)}


def bias_from_new_weights(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """You update `b` with the gradient at the updated `w`. Compute both gradients at the weights that came in, then update."""
    once = _step(w, b, x, y, mask, lr)
    return {**once, "b": np.asarray(b, np.float64) - lr * _means(once["w"], b, x, y, mask)[1]}


def bias_left_out(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your model predicts x W without the bias. Add `b` to the prediction, and its gradient follows."""
    return {**_step(w, np.zeros(np.shape(b)), x, y, mask, lr), "b": np.asarray(b, np.float64)}


def transposed_weights(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your `w` comes back transposed when it is square. Rows are features and columns are outputs: shape `(D, K)`."""
    once = _step(w, b, x, y, mask, lr)
    square = once["w"].shape[0] == once["w"].shape[1]
    return {**once, "w": once["w"].T if square else once["w"]}


def three_decimals(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Your answers are rounded to three decimals. Return them as they are: the comparison allows for rounding errors."""
    return {name: np.round(value, 3) for name, value in _step(w, b, x, y, mask, lr).items()}
