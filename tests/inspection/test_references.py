"""`judge.inspection.references`: which value of the oracle a step holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judge.inspection.references import Known, Match, recognised, references
from judge.model.outcome import Shard
from judge.model.trace import Moment
from tests.support.traces import Maker, held

Floats = NDArray[np.float64]


def pair(value: ArrayLike) -> tuple[Floats, Floats]:
    array = np.asarray(value, np.float64)
    return array, np.full(array.shape, 1e-4)


#: Two devices, each with a gradient of its own, whose mean is the gradient; and the weights that come out.
KNOWN = references({"own": pair([[2, 4], [6, 1]]), "mean": pair([[4, 2.5], [4, 2.5]])}, {"w": pair([0.3, 0.7])})


def found(maker: Maker, known: Known = KNOWN) -> dict[int, str]:
    return {number: str(match) for number, match in recognised(maker.trace(), known, None, ())[0].items()}


def test_values_of_each_device_whole_values_and_outputs_are_found() -> None:
    maker = Maker()
    maker.add("dot", [2, 4], [6, 1])
    maker.add("div", [4, 2.5], [4, 2.5])
    maker.add("sub", [0.3, 0.7], [0.3, 0.7])
    maker.add("other", [9.1, 9.3], [9, 9])
    assert found(maker) == {0: "the reference's own", 1: "the reference's mean", 2: "the reference's w"}


def test_a_sum_over_the_devices_is_told_with_what_it_is_a_multiple_of() -> None:
    maker = Maker()
    maker.add("psum", [8, 5], [8, 5])
    assert found(maker) == {0: "the reference's sum over the devices of own (2 times the reference's mean)"}
    (match,) = recognised(maker.trace(), KNOWN, None, ())[0].values()
    assert not match.right


def test_multiples_are_whole_numbers_or_one_over_them() -> None:
    maker = Maker()
    maker.add("a", [-4, -2.5], [-4, -2.5])
    maker.add("b", [1, 0.625], [1, 0.625])
    maker.add("c", [12, 7.5], [12, 7.5])
    maker.add("d", [5, 3.125], [5, 3.125])
    assert found(maker) == {
        0: "minus the reference's mean",
        1: "1/4 of the reference's mean",
        2: "3 times the reference's mean",
    }


def test_an_axis_of_one_more_or_less_is_a_matter_of_style() -> None:
    maker = Maker()
    maker.add("dot", [[2], [4]], [[6], [1]])
    maker.add("dot", [2, 4, 0], [6, 1, 0])
    assert found(maker) == {0: "the reference's own"}


def test_a_value_outside_a_region_is_compared_where_its_shards_stand() -> None:
    maker = Maker()
    split = tuple(
        Shard(device, ((device, device + 1),), np.asarray(value, np.float32))
        for device, value in enumerate(([0.3], [0.7]))
    )
    swapped = tuple(Shard(one.device, one.index, other.data) for one, other in zip(split, reversed(split), strict=True))
    for shards in (split, swapped):
        maker.add("sub", manual=False, shape=(2,), moments=(Moment((), shards),))
    assert found(maker) == {0: "the reference's w"}


def test_rows_of_all_devices_are_one_array_outside_a_region() -> None:
    known = references({"residual": pair([[1, 2], [3, 4]])}, {})
    maker = Maker()
    maker.add("sub", manual=False, shape=(4,), moments=(Moment((), held(np.arange(1.0, 5.0))),))
    assert found(maker, known) == {0: "the reference's residual"}


def test_zeros_not_finite_and_partial_values_hold_nothing() -> None:
    maker = Maker()
    maker.add("a", [0, 0], [0, 0])
    maker.add("b", [np.nan, 4], [6, 1])
    maker.add("c", [2, 4], [6, 1], partial=True)
    maker.add("enter", [2, 4], [6, 1])
    assert found(maker, (*KNOWN, *references({"nothing": pair([[0, 0], [0, 0]])}, {}))) == {}


def test_what_is_so_by_chance_is_not_so_on_other_inputs() -> None:
    shown, other = Maker(), Maker()
    shown.add("dot", [2, 4], [6, 1])
    other.add("dot", [5, 5], [7, 7])
    shown.add("div", [4, 2.5], [4, 2.5])
    other.add("div", [1, 3], [1, 3])
    again = references({"own": pair([[9, 2], [3, 3]]), "mean": pair([[1, 3], [1, 3]])}, {"w": pair([5, 8])})
    (matches,) = recognised(shown.trace(), KNOWN, other.trace(), again)
    assert {number: str(match) for number, match in matches.items()} == {1: "the reference's mean"}


def test_other_inputs_tell_what_zeros_are() -> None:
    shown, other = Maker(), Maker()
    shown.add("div", [0, 0], [0, 0])
    other.add("div", [2, 6], [2, 6])
    zeros = references({"mean": pair([[0, 0], [0, 0]])}, {})
    again = references({"mean": pair([[1, 3], [1, 3]])}, {})
    (matches,) = recognised(shown.trace(), zeros, other.trace(), again)
    assert str(matches[0]) == "2 times the reference's mean"


def test_a_trace_of_other_steps_confirms_nothing_and_is_left_aside() -> None:
    shown, other = Maker(), Maker()
    shown.add("dot", [2, 4], [6, 1])
    other.add("exp", [5, 5], [7, 7])
    (matches,) = recognised(shown.trace(), KNOWN, other.trace(), KNOWN)
    assert str(matches[0]) == "the reference's own"


def test_each_iteration_is_compared_with_its_own_part_of_a_reference() -> None:
    known = references({"losses": pair([[1, 3], [2, 4]])}, {"weights": pair([[5.5], [6.5]])})
    maker = Maker()
    loop = maker.add("loop", 2, 2)
    moments = (Moment((0,), held(1.0, 2.0)), Moment((1,), held(3.0, 9.0)))
    maker.add("mul", loop=(loop,), shape=(), moments=moments)
    moments = (Moment((0,), held([5.5], [5.5])), Moment((1,), held([6.5], [6.5])))
    maker.add("sub", loop=(loop,), shape=(1,), moments=moments)
    first, second = recognised(maker.trace(), known, None, ())
    assert {n: str(match) for n, match in first.items()} == {
        1: "the reference's losses of iteration 0",
        2: "the reference's weights of iteration 0",
    }
    assert {n: str(match) for n, match in second.items()} == {2: "the reference's weights of iteration 1"}


def test_a_match_is_right_only_where_it_is_the_reference_itself() -> None:
    (w, *_) = KNOWN
    assert Match(w, 1).right
    assert not Match(w, 2).right
