"""`judge.reports.inspection`: what a student reads beside each line."""

from __future__ import annotations

import numpy as np

from judge.model.inspection import Entry, Fault, Inspection, Row
from judge.model.outcome import Ended, Load, Raised
from judge.model.trace import Inspected, Moment, Trace
from judge.model.verdict import Verdict
from judge.reports.inspection import fault_lines, render
from tests.support import answers
from tests.support.traces import Maker, held

NOTHING = Trace((), (), 0)


def rendered(*rows: Row, fault: Fault | None = None, trace: Trace = NOTHING) -> list[str]:
    return render(Inspection(Inspected(None, None, answers.answer(), {}, trace), rows, fault))


def values(maker: Maker, name: str = "a", **more: object) -> list[str]:
    """The lines below a line of source for the last step made."""
    entry = Entry(name, maker.steps[-1], **more)  # type: ignore[arg-type]
    return [line.strip() for line in rendered(Row(1, "a = 1", (entry,)))[1:]]


def test_one_number_a_device_and_the_same_everywhere_take_one_line() -> None:
    maker = Maker()
    maker.add("mul", 9, 25, 49)
    assert values(maker) == ["a float32[]:  9, 25, 49 on devices 0-2"]
    maker.add("mul", [1.5, 2], [1.5, 2])
    assert values(maker, reference="the reference's w") == [
        "a float32[2]:  [1.5, 2] on devices 0 1   = the reference's w"
    ]


def test_arrays_that_differ_take_a_line_each_and_long_ones_are_cut() -> None:
    maker = Maker()
    maker.add("mul", [[1, 2]], [[3, 4]])
    assert values(maker) == ["a float32[1,2]:", "device 0: [[1, 2]]", "device 1: [[3, 4]]"]
    maker.add("mul", np.arange(9.0), np.arange(9.0))
    assert values(maker) == ["a float32[9]:  [0, 1, 2, 3, 4, 5, ...] (9 in all) on devices 0 1"]


def test_a_collective_shows_its_devices_and_what_was_before_and_after() -> None:
    maker = Maker()
    own = maker.add("dot", 1, 3)
    maker.add("psum_invariant", 4, 4, parents=[own], axes=("data",), groups=((0, 1), (2, 3)))
    assert values(maker, before=maker.steps[own]) == [
        "psum of a over data, devices 0 1; 2 3",
        "before  1, 3 on devices 0 1",
        "after   4 on devices 0 1",
    ]


def test_splits_loops_branches_and_layouts_are_told_in_words() -> None:
    maker = Maker()
    entries = [
        Entry("x", maker.steps[maker.add("enter", 1, 2, axes=("0:data",))]),
        Entry("w", maker.steps[maker.add("enter", 1, 1)]),
        Entry("", maker.steps[maker.add("loop", 3, 3)]),
        Entry("", maker.steps[maker.add("branch", 0, 1)]),
        Entry("z", maker.steps[maker.add("sub", [1, 2], [1, 3], manual=False)], unequal=True),
    ]
    lines = [line.strip() for line in rendered(Row(1, "f(x)", tuple(entries)))]
    assert lines == [
        "1 | f(x)",
        "split x float32[], axis 0 over mesh axis data:  1, 2 on devices 0 1",
        "whole on every device: w float32[]",
        "loop  3 times",
        "branch taken  0 on device 0; 1 on device 1",
        "z float32[2], whole on 2 devices, whose copies differ:",
        "device 0: [1, 2]",
        "device 1: [1, 3]",
    ]


def test_iterations_are_told_by_their_number_the_first_two_and_the_last() -> None:
    maker = Maker()
    moments = tuple(Moment((number,), held(np.float32(number), np.float32(number))) for number in (0, 1, 2, 8))
    maker.add("mul", shape=(), moments=moments)
    assert values(maker) == [
        "a float32[]:",
        "iteration 0:  0 on devices 0 1",
        "iteration 1:  1 on devices 0 1",
        "iteration 8:  8 on devices 0 1",
    ]


def test_where_it_goes_wrong_stands_after_the_source() -> None:
    fault = Fault(14, ("`psum(g)` leads to the wrong `w`", "line 13 is still right"))
    assert rendered(Row(1, "a", ()), fault=fault)[1:] == [
        "",
        "it goes wrong here: line 14: `psum(g)` leads to the wrong `w`",
        "  line 13 is still right",
    ]
    assert fault_lines(Fault(0, ("x",))) == ["it goes wrong here: x"]


def test_what_was_not_followed_and_left_out_is_told() -> None:
    lines = rendered(trace=Trace((), ((8, "what jit runs was not followed: ..."),), 3))
    assert lines[1:] == [
        "not followed:",
        "  line 8: what jit runs was not followed: ...",
        "  3 steps beyond the bound were left out",
    ]


def test_a_run_without_an_answer_says_why() -> None:
    raised = Raised("ValueError", "no \x1b[2J", 3, "x")
    load = render(Inspection(Inspected(Load(raised), None, None, {}, NOTHING), (), None))
    assert load == ["it cannot be loaded on line 3: ValueError: no \\x1b[2J"]
    ended = Ended(Verdict.TIME_LIMIT, "first call", "it used more than its 20 s of CPU time")
    assert render(Inspection(Inspected(None, ended, None, {}, NOTHING), (), None)) == [
        "it ended early: it used more than its 20 s of CPU time"
    ]
    after = render(Inspection(Inspected(None, None, raised, {}, NOTHING), (Row(1, "a", ()),), None))
    assert after == ["   1 | a", "", "it raised on line 3: ValueError: no \\x1b[2J"]


def test_nothing_that_a_student_wrote_acts_or_reads_as_the_judges_own() -> None:
    evil = "\x1b[2J\u202e##vso[task] \r"
    maker = Maker()
    maker.add("\x1b[1m", 1, 2, dtype="\x1b[2m", axes=())
    maker.add("enter", 1, 2, axes=("0:\x1b[3m",), label=evil)
    rows = [Row(1, evil, (Entry(evil, maker.steps[0], reference=""), Entry(evil, maker.steps[1])))]
    text = "\n".join(rendered(*rows, fault=Fault(1, (evil,)), trace=Trace((), ((1, evil),), 0)))
    assert not any(sign in text for sign in ("\x1b", "\u202e", "##vso", "\r"))
    assert text.splitlines()[0].startswith("   1 | ")
