"""`judge.inspection.fault`: from a wrong output back to the line where it began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from judge.inspection.fault import differs, first_fault
from judge.inspection.references import recognised, references
from judge.inspection.source import Text
from judge.model.inspection import Fault
from judge.model.outcome import OutputArray, Raised
from judge.model.trace import Inspected
from tests.support import answers
from tests.support.traces import Maker

SPEC = answers.spec(outputs={"w": {"dtype": ["float32"], "shape": ["D"], "placement": "replicated"}})
TEXT = Text.of(b"\n".join(b"x = %s" % name for name in (b"grads", b"summed", b"means", b"stepd", b"other")))
Floats = NDArray[np.float64]


def pair(*rows: Sequence[float]) -> tuple[Floats, Floats]:
    array = np.squeeze(np.array(rows, np.float64), axis=0) if len(rows) == 1 else np.array(rows, np.float64)
    return array, np.full(array.shape, 1e-4)


EXPECTED = {"w": pair([1.5, 2.25])}
INTERMEDIATES = {"own": pair([2, 4], [6, 1]), "mean": pair([4, 2.5], [4, 2.5])}


def fault(
    maker: Maker, output: OutputArray, made: Sequence[int], expected: Mapping[str, tuple[Floats, Floats]] = EXPECTED
) -> Fault | None:
    inspected = maker.inspected(answers.answer(w=output), {"w": made})
    times = recognised(maker.trace(), references(INTERMEDIATES, expected), None, ())
    return first_fault(SPEC, inspected, TEXT, expected, times)


def summed_and_never_divided() -> tuple[Maker, int]:
    maker = Maker()
    entered = maker.add("enter", [9, 9], [8, 7])
    own = maker.add("dot", [2, 4], [6, 1], line=1, parents=[entered])
    total = maker.add("psum", [8, 5], [8, 5], line=2, parents=[own], axes=("d",))
    last = maker.add("sub", [7.7, 7.1], [7.7, 7.1], line=4, parents=[total])
    return maker, last


def test_a_sum_in_place_of_a_mean_is_pointed_at_with_the_last_line_that_is_right() -> None:
    maker, last = summed_and_never_divided()
    found = fault(maker, answers.output([7.7, 7.1]), [last])
    assert found is not None
    assert found.line == 2
    assert found.sentences == (
        "`summe` leads to the wrong `w`: it is the reference's sum over the devices of own (2 times the reference's mean)",
        "line 1 is still right: `grads` is the reference's own",
    )


def test_a_right_output_has_no_fault_whatever_stands_on_the_way() -> None:
    maker, last = summed_and_never_divided()
    assert fault(maker, answers.output([1.5, 2.25]), [last]) is None


def test_copies_that_differ_lead_back_to_the_gradient_of_each_device() -> None:
    maker = Maker()
    own = maker.add("dot", [2, 4], [6, 1], line=1, backward=True)
    gradient = maker.add("gradient", [2, 4], [6, 1], line=3, parents=[own])
    last = maker.add("sub", [1, 2], [3, 4], line=4, parents=[gradient])
    output = answers.output([1, 2])
    first, second = output.shards
    other = type(second)(second.device, second.index, np.array([3, 4]))
    found = fault(maker, OutputArray("jax", "float32", (2,), (first, other)), [last])
    assert found is not None
    assert found.line == 4
    assert "differs from device to device" in found.sentences[0]
    assert found.sentences[1].startswith("line 3: the gradient of each device's own rows")


def test_where_nothing_is_known_the_first_unknown_line_after_the_last_known_is_named() -> None:
    maker = Maker()
    mean = maker.add("div", [4, 2.5], [4, 2.5], line=3)
    shape = maker.add("reshape", [9.3, 9.1], [9.3, 9.1], line=3, parents=[mean])
    decay = maker.add("mul", [9.3, 9.1], [9.3, 9.1], line=4, parents=[shape])
    last = maker.add("sub", [7.7, 7.1], [7.7, 7.1], line=5, parents=[decay])
    found = fault(maker, answers.output([7.7, 7.1]), [last])
    assert found is not None
    assert found.line == 4
    assert (
        found.sentences[0] == "`stepd` leads to the wrong `w`: neither it nor what follows is a value of the reference"
    )
    assert found.sentences[1] == "line 3 is still right: `means` is the reference's mean"


def test_a_collective_of_the_backward_pass_is_told_as_jaxs_own() -> None:
    maker = Maker()
    own = maker.add("dot", [2, 4], [6, 1], line=1, backward=True)
    total = maker.add("psum_invariant", [8, 5], [8, 5], line=1, parents=[own], backward=True, axes=("d",))
    gradient = maker.add("gradient", [8, 5], [8, 5], line=3, parents=[total])
    last = maker.add("sub", [7.7, 7.1], [7.7, 7.1], line=4, parents=[gradient])
    found = fault(maker, answers.output([7.7, 7.1]), [last])
    assert found is not None
    assert found.line == 1
    assert found.sentences[0].startswith(
        "the psum that JAX adds in the backward pass of `grads` leads to the wrong `w`"
    )


def test_an_output_that_is_another_value_of_the_reference_is_called_that() -> None:
    maker = Maker()
    last = maker.add("div", [4, 2.5], [4, 2.5], line=3)
    found = fault(maker, answers.output([4, 2.5]), [last])
    assert found is not None
    assert (found.line, found.sentences) == (3, ("`means` becomes `w`, and it is the reference's mean",))


def test_nothing_is_said_of_an_output_that_came_from_nowhere_or_of_a_run_that_raised() -> None:
    maker, _ = summed_and_never_divided()
    assert fault(maker, answers.output([7.7, 7.1]), []) is None
    raised = Inspected(None, None, Raised("ValueError", "", 1, ""), {}, maker.trace())
    assert first_fault(SPEC, raised, TEXT, EXPECTED, []) is None


def test_parts_of_one_array_are_no_copies_that_differ() -> None:
    maker = Maker()
    copies = maker.steps[maker.add("mul", 1, 2)]
    assert differs(copies)
    maker.add("mul", 1, 1)
    assert not differs(maker.steps[1])
