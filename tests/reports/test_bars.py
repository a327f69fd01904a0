"""Bars in a terminal: yours beside the reference."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judge.model.problem import Spec
from judge.model.record import Counterexample
from judge.reports.bars import Bars, bars, lines
from tests.support.authored import STEP_SPEC

PLAIN = Spec.model_validate(STEP_SPEC)
LINEAR = Spec.model_validate(
    {**STEP_SPEC, "relations": [{"name": "linear_in_lr", "scalar": "lr", "outputs": {"w": "w"}}]}
)


def shown(actual: dict[str, Any], *, lr: float = 0.5, w: Any = (1.25, -1.0)) -> Counterexample:
    inputs = {"w": [0.0, 0.0], "x": [[1.0, 0.0]] * 4, "y": [0.0] * 4, "lr": lr}
    return Counterexample("counterexample", inputs, {"w": w, "loss": 3.0}, actual)


def test_a_step_is_drawn_as_the_gradient_that_it_took() -> None:
    (one,) = bars(LINEAR, shown({"w": [5.0, -1.0], "loss": 3.0}))
    assert one.title == "gradient of `w`, (w - new w) / lr"
    assert one.labels == ("w[0]", "w[1]")
    assert one.yours == (-10.0, 2.0) and one.reference == (-2.5, 2.0)


@pytest.mark.parametrize(("spec", "lr"), [(PLAIN, 0.5), (LINEAR, 0.0)])
def test_without_a_rate_or_a_declared_step_the_output_itself_is_drawn(spec: Spec, lr: float) -> None:
    (one,) = bars(spec, shown({"w": [5.0, -1.0], "loss": 3.0}, lr=lr))
    assert one.title == "`w`" and one.yours == (5.0, -1.0) and one.reference == (1.25, -1.0)


def test_only_outputs_that_differ_are_drawn_and_gradients_where_none_does() -> None:
    (one,) = bars(LINEAR, shown({"w": [1.25, -1.0], "loss": 4.0}))
    assert one.title == "`loss`" and one.labels == ("loss",)
    (one,) = bars(LINEAR, shown({"w": [1.25, -1.0], "loss": 3.0}))
    assert one.title.startswith("gradient of `w`")
    (one,) = bars(PLAIN, shown({"w": [1.25, -1.0], "loss": 3.0}))
    assert one.title == "`w`"


@pytest.mark.parametrize("actual", [{}, {"w": [1.0]}, {"w": "float32 of shape [9000], too large to show"}])
def test_what_cannot_be_compared_is_not_drawn(actual: dict[str, Any]) -> None:
    assert bars(LINEAR, shown(actual)) == ()


def test_copies_that_are_all_alike_are_drawn_once() -> None:
    right = [[1.25, -1.0]] * 8
    (one,) = bars(LINEAR, shown({"w": [[5.0, -1.0]] * 8, "loss": 3.0}, w=right))
    assert one.labels == ("w[0]", "w[1]") and "alike in all 8 copies" in one.title
    (one,) = bars(LINEAR, shown({"w": [[5.0, -1.0]] * 7 + [[6.0, -1.0]], "loss": 3.0}, w=right))
    assert "w[7, 0]" in one.labels and one.left_out == 8


def test_of_many_coordinates_those_are_drawn_that_differ_most() -> None:
    yours = [float(number) for number in range(20)]
    yours[13], yours[17] = 40.0, float("nan")
    (one,) = bars(PLAIN, shown({"w": yours, "loss": 3.0}, w=[float(number) for number in range(20)]))
    assert {"w[13]", "w[17]"} <= set(one.labels) and len(one.labels) == 8 and one.left_out == 12


def drawn(yours: tuple[float, ...], reference: tuple[float, ...], width: int = 60) -> list[str]:
    names = tuple(f"w[{number}]" for number in range(len(yours)))
    return [text for text, _ in lines(Bars("t", names, yours, reference), width=width, full="#")][1:]


def test_equal_numbers_have_bars_of_equal_length_and_negative_ones_lie_left_of_the_axis() -> None:
    one, other, small, none = drawn((-4.0, 2.0), (-4.0, 0.0))
    assert one.split("-4")[1] == other.split("-4")[1]
    axis = one.index("|")
    assert all(line[axis] == "|" for line in (one, other, small, none))
    assert set(one[axis - 10 : axis]) == {"#"} and one.endswith("|")
    assert none.endswith("|") and "#" not in none
    assert 2 * small.count("#") == pytest.approx(one.count("#"), abs=2)


def test_what_is_yours_and_unlike_is_marked() -> None:
    marked = [unlike for _, unlike in lines(Bars("t", ("a", "b"), (1.0, 2.0), (1.0, 3.0)), width=60)]
    assert marked == [False, False, False, True, False]


numbers = st.floats(width=64)


@given(st.lists(st.tuples(numbers, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=8))
@example([(0.0, 2.225073858507e-311)])
@example([(1.7e308, -1.7e308)])
def test_any_numbers_are_drawn_within_the_width(pairs: list[tuple[float, float]]) -> None:
    yours, reference = zip(*pairs, strict=True)
    for line, number in zip(drawn(yours, reference, 70), [one for pair in pairs for one in pair], strict=True):
        assert len(line) <= 72
        assert line.count("|") == 1
        assert math.isfinite(number) or "#" not in line
