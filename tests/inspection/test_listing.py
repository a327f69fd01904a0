"""`judge.inspection.listing`: which values stand beside which line."""

from __future__ import annotations

from judge.inspection.listing import listing
from judge.inspection.references import recognised, references
from judge.inspection.source import Text
from judge.model.inspection import Entry
from judge.model.trace import Span
from tests.inspection.test_fault import INTERMEDIATES
from tests.support.traces import Maker

SOURCE = b"a = f(x)\nb = lax.pmean(a, 'd')\nreturn b\n"
TEXT = Text.of(SOURCE)
CALL = Span(1, 4, 1, 8)
MEAN = Span(2, 4, 2, 21)


def entries(maker: Maker, line: int, *, everything: bool = False) -> list[Entry]:
    times = recognised(maker.trace(), references(INTERMEDIATES, {}), None, ())
    rows = listing(maker.trace(), TEXT, times[0] if times else {}, everything=everything)
    return [entry for row in rows if row.line == line for entry in row.entries]


def test_every_line_stands_there_with_or_without_values() -> None:
    maker = Maker()
    maker.add("input", [1, 2], line=0, label="x", manual=False)
    rows = listing(maker.trace(), TEXT, {})
    assert [(row.line, row.text) for row in rows] == [
        (0, ""),
        (1, "a = f(x)"),
        (2, "b = lax.pmean(a, 'd')"),
        (3, "return b"),
    ]
    assert [entry.name for entry in rows[0].entries] == ["x"]


def test_a_collective_stands_with_its_operand_and_the_name_of_that() -> None:
    maker = Maker()
    own = maker.add("dot", [2, 4], [6, 1], span=CALL)
    total = maker.add("psum", [8, 5], [8, 5], span=MEAN, parents=[own], axes=("d",))
    maker.add("div", [4, 2.5], [4, 2.5], span=MEAN, parents=[total])
    collective, mean = entries(maker, 2)
    assert (collective.name, collective.before) == ("a", maker.steps[own])
    assert collective.reference == "the reference's sum over the devices of own"
    assert (mean.name, mean.reference) == ("b", "the reference's mean")


def test_an_expression_shows_what_it_came_to_and_no_step_on_the_way() -> None:
    maker = Maker()
    product = maker.add("mul", 1, 2, span=CALL)
    maker.add("add", 3, 4, span=CALL, parents=[product])
    assert [entry.step.op for entry in entries(maker, 1)] == ["add"]
    assert [entry.step.op for entry in entries(maker, 1, everything=True)] == ["mul", "add"]


def test_an_expression_that_comes_to_a_tree_shows_each_value_of_it() -> None:
    maker = Maker()
    for value in ([[1, 2]], [1, 2]):
        total = maker.add("psum", value, value, span=CALL, axes=("d",))
        maker.add("div", value, value, span=CALL, parents=[total])
    assert [entry.step.shape for entry in entries(maker, 1) if entry.step.op == "div"] == [(1, 2), (2,)]


def test_a_line_that_runs_again_and_again_shows_the_last_time() -> None:
    maker = Maker()
    for value in (1, 2, 3):
        maker.add("mul", value, value, span=CALL)
    (only,) = entries(maker, 1)
    assert only.step.number == 2


def test_the_backward_pass_shows_its_collectives_and_gradients_only() -> None:
    maker = Maker()
    value = maker.add("mul", 1, 2, span=CALL)
    slope = maker.add("cos", 1, 2, span=CALL)
    back = maker.add("mul", 3, 4, span=CALL, parents=[slope], backward=True)
    maker.add("psum_invariant", 7, 7, span=CALL, parents=[back], backward=True, axes=("d",))
    maker.add("gradient", 7, 7, line=3, parents=[back], label="['w']")
    maker.add("sub", 1, 1, line=3, parents=[value])
    assert [entry.step.op for entry in entries(maker, 1)] == ["mul", "psum_invariant"]
    assert [entry.name for entry in entries(maker, 3)][:1] == ["gradient['w']"]


def test_a_change_of_form_is_shown_only_where_the_line_has_nothing_after_it() -> None:
    maker = Maker()
    maker.add("reshape", 1, 2, line=1)
    assert [entry.step.op for entry in entries(maker, 1)] == ["reshape"]
    maker.add("add", 1, 2, span=Span(1, 0, 1, 8))
    assert [entry.step.op for entry in entries(maker, 1)] == ["add"]


def test_the_counter_that_jax_adds_to_a_loop_is_left_out() -> None:
    maker = Maker()
    loop = maker.add("loop", 2, 2, span=CALL)
    maker.add("add", 1, 1, span=CALL, loop=(loop,))
    maker.add("mul", 1, 1, span=MEAN, loop=(loop,))
    assert [entry.step.op for entry in entries(maker, 1)] == ["loop"]
    assert [entry.step.op for entry in entries(maker, 2)] == ["mul"]


def test_copies_of_one_array_that_differ_are_marked() -> None:
    maker = Maker()
    maker.add("sub", [1, 2], [1, 3], manual=False)
    maker.add("sub", [1, 2], [1, 3], line=2)
    assert [entry.unequal for line in (1, 2) for entry in entries(maker, line)] == [True, False]
