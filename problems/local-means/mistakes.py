"""Wrong ways to combine local means. Each docstring is the hint that whoever makes the mistake reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Answer = dict[str, Array]


def _float64(*values: Any) -> tuple[Array, ...]:
    return tuple(np.asarray(value, dtype=np.float64) for value in values)


def _gradient(w: Array, x: Array, y: Array) -> Array:
    return np.asarray(2.0 * (x.T @ (x @ w - y)) / len(y))


def _local_means(w: Any, x: Any, y: Any, counts: Sequence[int]) -> Array:
    w, x, y = _float64(w, x, y)
    ends = zip(counts, accumulate(counts), strict=True)
    return np.array([_gradient(w, x[end - n : end], y[end - n : end]) for n, end in ends])


def _combined(local: Array, counts: Sequence[int]) -> Answer:
    """The right combination of local means."""
    share = np.array(counts, dtype=np.float64) / sum(counts)
    return {"summed": np.sum(local, axis=0), "averaged": np.mean(local, axis=0), "weighted": share @ local}


def _right(w: Any, x: Any, y: Any, counts: Sequence[int]) -> Answer:
    return _combined(_local_means(w, x, y, counts), counts)


def equal_parts(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """You cut the rows into parts of equal size. Part k has `counts[k]` rows: cut at the running sums of `counts`."""
    w, x, y = _float64(w, x, y)
    parts = zip(np.array_split(x, len(counts)), np.array_split(y, len(counts)), strict=True)
    return _combined(np.array([_gradient(w, rows, targets) for rows, targets in parts]), counts)


def start_at_multiple(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your part k starts at row `k * counts[k]`, which is right for equal parts only. It starts where the parts before
    it end: at the sum of `counts[:k]`."""
    w, x, y = _float64(w, x, y)
    local = []
    for k, n in enumerate(counts):
        rows = slice(k * n, k * n + n)
        local.append(2.0 * (x[rows].T @ (x[rows] @ w - y[rows])) / n)
    return _combined(np.array(local), counts)


def parts_in_reverse(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """You took the parts from the end of the batch. The first `counts[0]` rows are the first part, and so on."""
    w, x, y = _float64(w, x, y)
    return _combined(_local_means(w, x[::-1], y[::-1], counts), counts)


def dealt_rows(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """You dealt the rows out in turn, every k-th row to the same part. Parts are runs of consecutive rows, `counts[k]`
    of them."""
    w, x, y = _float64(w, x, y)
    parts = len(counts)
    return _combined(np.array([_gradient(w, x[k::parts], y[k::parts]) for k in range(parts)]), counts)


def last_row_left_out(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """The last row of every part is missing from its gradient. The end of a slice is not included: write
    `x[start:end]`, not `x[start:end - 1]`."""
    w, x, y = _float64(w, x, y)
    local = []
    for n, end in zip(counts, accumulate(counts), strict=True):
        rows = slice(end - n, end - 1)
        local.append(2.0 * (x[rows].T @ (x[rows] @ w - y[rows])) / n)
    return _combined(np.array(local), counts)


def last_part_left_out(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """The last part is missing from your sums, though you divide by all parts and rows. `np.cumsum(counts)` are the
    ends of the parts; the last part ends at N."""
    local = _local_means(w, x, y, counts)
    local[-1] = 0.0
    return _combined(local, counts)


def sums_for_means(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your local gradients are sums over the rows of a part, not means: part k is `counts[k]` times too large. Divide
    each by its own count before you combine them."""
    local = _local_means(w, x, y, counts) * np.array(counts, dtype=np.float64)[:, None]
    return _combined(local, counts)


def factor_two_missing(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """All your gradients are half of the right ones: the derivative of a square brings a factor 2. The mean gradient of
    a part is 2/n times `x.T @ (x @ w - y)`."""
    return _combined(_local_means(w, x, y, counts) / 2.0, counts)


def sign_flipped(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """All your gradients have the wrong sign. The residual is prediction minus target, `x @ w - y`."""
    return _combined(-_local_means(w, x, y, counts), counts)


def gradient_at_zero(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your gradients are those at weights of zero: their residual is `-y`. Use `x @ w - y`; a start at zero hides the
    difference."""
    return _combined(_local_means(np.zeros_like(np.asarray(w)), x, y, counts), counts)


def averaged_not_divided(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "averaged" is still the sum of the local means. Divide it by the number of parts, `len(counts)`."""
    right = _right(w, x, y, counts)
    return {**right, "averaged": right["summed"]}


def averaged_by_four(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "averaged" divides by 4 whatever the number of parts. Divide by `len(counts)`."""
    right = _right(w, x, y, counts)
    return {**right, "averaged": right["summed"] / 4.0}


def averaged_over_rows(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "averaged" divides the sum of the local means by the N rows. Each local mean was divided by its rows
    already; divide by the number of parts."""
    right = _right(w, x, y, counts)
    return {**right, "averaged": right["summed"] / sum(counts)}


def averaged_by_count(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "averaged" is weighted by count, so it equals "weighted". It is meant to be the plain average in which every
    part counts once, wrong as that is for unequal parts."""
    right = _right(w, x, y, counts)
    return {**right, "averaged": right["weighted"]}


def weighted_is_plain(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "weighted" is the plain average of the local means. Multiply each by its count and divide the sum by N;
    parts of unequal size make the difference."""
    right = _right(w, x, y, counts)
    return {**right, "weighted": right["averaged"]}


def weighted_not_divided(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "weighted" is N times too large: the counts are weights, but nothing divides by their sum. Divide by
    `sum(counts)`."""
    right = _right(w, x, y, counts)
    return {**right, "weighted": right["weighted"] * sum(counts)}


def weighted_by_parts(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "weighted" multiplies by the counts but divides by the number of parts. Divide by the sum of the weights,
    `sum(counts)`."""
    right = _right(w, x, y, counts)
    return {**right, "weighted": right["weighted"] * sum(counts) / len(counts)}


def weighted_divided_twice(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "weighted" is too small by the number of parts: you took the mean of what is already a weighted mean. Sum
    the products `counts[k] / N * g_k`, do not average them."""
    right = _right(w, x, y, counts)
    return {**right, "weighted": right["weighted"] / len(counts)}


def weighted_inversely(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "weighted" gives the small parts the large weights: you divided by the counts. Multiply each local mean by
    its count, then divide the sum by N."""
    weights = 1.0 / np.array(counts, dtype=np.float64)
    local = _local_means(w, x, y, counts)
    return {**_combined(local, counts), "weighted": weights @ local / np.sum(weights)}


def weights_in_reverse(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "weighted" pairs the local means with the counts in reverse order. Local mean k belongs to `counts[k]`."""
    local = _local_means(w, x, y, counts)
    return {**_combined(local, counts), "weighted": _combined(local, counts[::-1])["weighted"]}


def averages_swapped(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """You swapped "averaged" and "weighted". "averaged" counts every part once, "weighted" counts every row once."""
    right = _right(w, x, y, counts)
    return {**right, "averaged": right["weighted"], "weighted": right["averaged"]}


def all_from_global_mean(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """You started from the gradient of the whole batch and took the sum to be that times the number of parts. This
    holds for equal parts only; compute the mean gradient of each part."""
    total = _right(w, x, y, counts)["weighted"]
    return {"summed": total * len(counts), "averaged": total, "weighted": total}


def summed_over_rows(w: Any, x: Any, y: Any, counts: tuple[int, ...]) -> Answer:
    """Your "summed" adds the gradients of all rows. Add the mean gradients of the parts, each divided by its own count
    first."""
    right = _right(w, x, y, counts)
    return {**right, "summed": right["weighted"] * sum(counts)}
