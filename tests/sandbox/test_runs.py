"""`judge.sandbox.runs`: outcomes of real children, and of fakes that say what no honest child would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.model.case import Case
from judge.model.outcome import Answer, Program, Raised, Usage
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.runner.wire import Buffer, Message
from judge.sandbox import requests, runs
from judge.sandbox.session import Session
from judge.sandbox.settings import ChildLimits
from tests.support import exercises
from tests.support.inside import SETTINGS

CASES = Path(__file__).parents[1] / "cases"
SLUG = "shard-map-step"
PROBLEM = exercises.problem(SLUG)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SETTINGS) as opened:
        yield opened


def labelled(slug: str, name: str) -> Submission:
    return exercises.submission(slug, (CASES / slug / name).read_bytes(), name)


def step(case: Case) -> dict[str, Any]:
    """The right answer to a case of `shard-map-step`, in float64."""
    w, b, x, y, lr = (np.asarray(case.inputs[name], np.float64) for name in ("w", "b", "x", "y", "lr"))
    residual = x @ w + b - y
    scale = 2 * lr / len(x)
    return {
        "w": w - scale * x.T @ residual,
        "b": b - scale * residual.sum(0),
        "loss": (residual**2).sum(1).mean(),
    }


def assert_right(case: Case, answer: Answer | Raised | None) -> None:
    assert isinstance(answer, Answer), answer
    for key, expected in step(case).items():
        assert len(answer.outputs[key].shards) == 8
        for shard in answer.outputs[key].shards:
            assert shard.data is not None
            np.testing.assert_allclose(np.asarray(shard.data, np.float64), expected, rtol=1e-4, atol=1e-5)


def test_live_export_and_program_agree_on_a_right_submission(session: Session) -> None:
    submission = labelled(SLUG, "two_axis_mesh.py")
    cases = [exercises.case(SLUG, f"c{n}", seed=n, n=8 * (1 + n % 2), lr=0.1 * n) for n in range(40)]
    live = runs.run_live(session, PROBLEM, submission, [("c0", cases[0]), ("again:c0", cases[0])], want_modules=True)
    assert (live.load, live.ended) == (None, None)
    assert [label for label, _ in live.answers] == ["c0", "again:c0"]
    assert set(live.seconds) == {"load", "first_call", "calls"}
    assert live.modules
    for _, answer in live.answers:
        assert_right(cases[0], answer)
    export = runs.run_export(session, PROBLEM, submission, cases)
    assert [program.scalars for program in export.programs] == [(), ()]
    ran = runs.run_program(session, PROBLEM, export.programs, cases)
    assert (ran.ended, ran.failed, set(ran.facts)) == (None, {}, {0, 1})
    for case in cases:
        assert_right(case, ran.answers[case.id])
    assert ran.usage.cpu_s > 0


def test_every_value_of_a_float_that_a_solution_needs_has_its_program(session: Session) -> None:
    source = "import functools, jax\n@functools.partial(jax.jit, static_argnums=4)\ndef solve(w, b, x, y, lr):\n"
    submission = exercises.submission(SLUG, source + "    return {'w': w * (1.0 if lr > 0.3 else lr)}\n")
    cases = [exercises.case(SLUG, f"c{n}", seed=n, lr=lr) for n, lr in enumerate((0.1, 0.5, 0.1))]
    export = runs.run_export(session, PROBLEM, submission, cases)
    assert [program.scalars for program in export.programs] == [(("lr", 0.1),), (("lr", 0.5),)]
    with runs.ProgramRunner(session, PROBLEM, export.programs) as runner:
        for case, factor in zip(cases, (0.1, 1.0, 0.1), strict=True):
            answer = runner.evaluate(case)
            assert answer is not None
            data = answer.outputs["w"].shards[0].data
            assert data is not None
            w = np.asarray(case.inputs["w"], np.float64)
            np.testing.assert_allclose(np.asarray(data, np.float64), w * factor, rtol=1e-6)
        assert runner.evaluate(exercises.case(SLUG, lr=0.7)) is None
        assert runner.evaluate(exercises.case(SLUG, lr=0.1, d=5)) is None


def test_static_values_make_another_signature(session: Session) -> None:
    problem = exercises.problem("ten-steps")
    cases = [exercises.case("ten-steps", f"c{n}", steps=n) for n in (2, 3)]
    export = runs.run_export(session, problem, labelled("ten-steps", "s38.py"), cases)
    ran = runs.run_program(session, problem, export.programs, cases)
    assert [ran.answers[case.id].outputs["losses"].shape for case in cases] == [(2,), (3,)]


def test_what_cannot_be_loaded_is_told_in_both_runs(session: Session) -> None:
    submission = exercises.submission(SLUG, "import nowhere\n")
    live = runs.run_live(session, PROBLEM, submission, [("c", exercises.case(SLUG))], want_modules=True)
    export = runs.run_export(session, PROBLEM, submission, [exercises.case(SLUG)])
    assert live.load is not None
    assert live.load == export.load
    assert (live.load.raised.type, live.load.raised.line) == ("ModuleNotFoundError", 1)
    assert (live.answers, export.programs) == ((), ())


def test_a_call_that_raises_does_not_keep_the_next_from_being_made(session: Session) -> None:
    source = "def solve(w, b, x, y, lr):\n    assert lr, 'zero'\n    return {}\n"
    cases = [exercises.case(SLUG, "zero", lr=0.0), exercises.case(SLUG, "one", lr=1.0)]
    live = runs.run_live(
        session, PROBLEM, exercises.submission(SLUG, source), [(case.id, case) for case in cases], want_modules=False
    )
    assert live.answers == (
        ("zero", Raised("AssertionError", "zero", 2, "assert lr, 'zero'")),
        ("one", Answer("dict", {})),
    )


def test_an_exit_inside_solve_leaves_the_answers_before_it(session: Session) -> None:
    source = "def solve(w, b, x, y, lr):\n    if lr: raise SystemExit(5)\n    print('first')\n    return {}\n"
    cases = [exercises.case(SLUG, "zero", lr=0.0), exercises.case(SLUG, "one", lr=1.0)]
    live = runs.run_live(
        session, PROBLEM, exercises.submission(SLUG, source), [(case.id, case) for case in cases], want_modules=False
    )
    assert [label for label, _ in live.answers] == ["zero"]
    assert live.ended is not None
    assert (live.ended.verdict, live.ended.stage) == (Verdict.EXITED, "call")
    assert live.stdout == b"first\n"


def test_a_loop_without_end_is_stopped_by_the_limit_of_its_stage(session: Session) -> None:
    problem = exercises.problem(SLUG, first_call_s=0.5)
    source = "def solve(w, b, x, y, lr):\n    while True: pass\n"
    submission = exercises.submission(SLUG, source)
    case = exercises.case(SLUG)
    live = runs.run_live(session, problem, submission, [("c", case)], want_modules=False)
    export = runs.run_export(session, problem, submission, [case])
    assert live.ended is not None
    assert export.ended is not None
    assert (live.ended.verdict, live.ended.stage) == (Verdict.TIME_LIMIT, "first call")
    assert (export.ended.verdict, export.ended.stage) == (Verdict.TIME_LIMIT, "export")


def test_a_program_that_does_not_end_takes_no_answer_of_another_with_it(session: Session) -> None:
    problem = exercises.problem(SLUG, program_s=1.0)
    source = (
        "import jax\ndef solve(w, b, x, y, lr):\n"
        "    return {'w': jax.lax.while_loop(lambda v: (v[0] > -9.0e9) & (x.shape[0] > 8), lambda v: v + 1.0, b) + w}\n"
    )
    cases = [exercises.case(SLUG, "short"), exercises.case(SLUG, "endless", n=16)]
    export = runs.run_export(session, problem, exercises.submission(SLUG, source), cases)
    ran = runs.run_program(session, problem, export.programs, cases)
    assert set(ran.answers) == {"short"}
    assert ran.ended is not None
    assert (ran.ended.verdict, ran.ended.stage) == (Verdict.TIME_LIMIT, "program")


def test_bytes_that_are_no_program_fail_alone(session: Session) -> None:
    case = exercises.case(SLUG)
    good = runs.run_export(session, PROBLEM, labelled(SLUG, "einsum_model.py"), [case]).programs[0]
    bad = replace(good, blob=good.blob[:100])
    ran = runs.run_program(session, PROBLEM, [bad, good], [case])
    assert (set(ran.failed), set(ran.facts), ran.ended) == ({0}, {1}, None)
    assert_right(case, ran.answers[case.id])


def test_modules_of_a_live_run_show_what_an_untraceable_submission_did(session: Session) -> None:
    case = exercises.case(SLUG)
    submission = labelled(SLUG, "noisy_debug_prints.py")
    export = runs.run_export(session, PROBLEM, submission, [case])
    assert [raised.type for raised in export.refused.values()] == ["ConcretizationTypeError"]
    live = runs.run_live(session, PROBLEM, submission, [("c", case)], want_modules=True)
    found = runs.run_facts(session, PROBLEM, live.modules)
    assert len(found) == len(live.modules)
    assert found[0].devices == 8
    assert {(split.axis, split.parts, split.by) for split in found[0].splits} == {(0, 8, "manual")}
    assert all(one.groups == (tuple(range(8)),) for one in found[0].collectives)
    assert found[0].collectives


def test_modules_that_are_none_are_left_out(session: Session) -> None:
    assert runs.run_facts(session, PROBLEM, [b"nothing", b"ML\xefR"]) == ()


class Fake:
    """A child that answers from a list, and notes that it was ended."""

    stdout = stderr = b""

    def __init__(self, answers: Sequence[Message]) -> None:
        self.answers = list(answers)
        self.asked: list[Mapping[str, Any]] = []
        self.closed = False

    def open(self, kind: Any, *, devices: int, limits: ChildLimits) -> Fake:
        return self

    def usage(self) -> Usage:
        return Usage()

    def close(self) -> None:
        self.closed = True

    def request(
        self, header: Mapping[str, Any], buffers: Sequence[Buffer] = (), *, stage: str, cpu_s: float
    ) -> Message:
        assert not self.closed, "an ended child is not asked"
        self.asked.append(header)
        return self.answers.pop(0)


LOADED = Message({"loaded": True}, ())


@pytest.mark.parametrize(
    "said",
    [
        Message({}, ()),
        Message({"answer": {"type": "dict"}}, ()),
        Message({"answer": {"type": "dict", "outputs": []}}, (np.ones(1),)),
        Message({"error": "bad"}, ()),
    ],
)
def test_a_live_child_that_says_something_else_is_ended(said: Message) -> None:
    fake = Fake([LOADED, said])
    case = exercises.case(SLUG)
    live = runs.run_live(fake, PROBLEM, exercises.submission(SLUG, ""), [("a", case), ("b", case)], want_modules=True)
    assert live.ended is not None
    assert (live.ended.verdict, live.ended.stage, live.answers) == (Verdict.RUNTIME_ERROR, "first call", ())
    assert live.ended.detail.startswith("the answer could not be read: ")


def test_a_load_that_is_neither_done_nor_failed_is_no_load() -> None:
    live = runs.run_live(Fake([Message({}, ())]), PROBLEM, exercises.submission(SLUG, ""), [], want_modules=False)
    assert live.ended is not None
    assert (live.ended.verdict, live.ended.stage) == (Verdict.RUNTIME_ERROR, "load")


@pytest.mark.parametrize(
    "said",
    [
        Message({"scalars": {}}, ()),
        Message({"scalars": {}}, (np.ones(1),)),
        Message({"scalars": {"lr": 7.0}}, (b"program",)),
        Message({}, (b"program",)),
    ],
)
def test_an_export_child_that_says_something_else_is_ended(said: Message) -> None:
    export = runs.run_export(Fake([LOADED, said]), PROBLEM, exercises.submission(SLUG, ""), [exercises.case(SLUG)])
    assert export.ended is not None
    assert (export.ended.verdict, export.programs) == (Verdict.RUNTIME_ERROR, ())


def test_programs_without_measure_end_the_export() -> None:
    huge = Message({"scalars": {}}, (bytes(runs.PROGRAMS_BYTES + 1),))
    export = runs.run_export(Fake([LOADED, huge]), PROBLEM, exercises.submission(SLUG, ""), [exercises.case(SLUG)])
    assert export.ended is not None
    assert export.ended.verdict is Verdict.MEMORY_LIMIT


def test_a_program_child_that_answers_for_other_cases_is_ended() -> None:
    facts = {"devices": 8, "manual_regions": 0, "collectives": [], "splits": [], "paths": []}
    output = {"key": "w", "kind": "jax", "dtype": "float32", "shape": [], "shards": [{"device": 0, "index": []}]}
    layout = Message({"layout": {"type": "dict", "outputs": [output]}}, (np.ones(3, np.float32),))
    case = exercises.case(SLUG)
    ran = runs.run_program(
        Fake([Message({"facts": facts}, ()), layout]), PROBLEM, [Program(case.signature, (), b"")], [case]
    )
    assert ran.ended is not None
    assert (ran.ended.verdict, ran.answers) == (Verdict.RUNTIME_ERROR, {})


def test_an_export_is_told_shapes_and_never_values() -> None:
    case = exercises.case(SLUG, lr=0.25)
    header = requests.export(PROBLEM, case)
    assert header["inputs"][2] == {"name": "x", "type": "array", "dtype": "float32", "shape": [8, 3]}
    assert header["inputs"][4] == {"name": "lr", "type": "float", "value": 0.25}


def test_a_run_hands_over_one_stack_an_argument() -> None:
    cases = [exercises.case("masked-step", f"c{n}", seed=n, lr=float(n)) for n in range(3)]
    problem = exercises.problem("masked-step")
    _, buffers = requests.run(problem, 0, Program(cases[0].signature, (), b""), cases)
    assert [(array.shape, array.dtype.name) for array in buffers if not isinstance(array, bytes)] == [
        ((3, 3, 2), "float32"),
        ((3, 2), "float32"),
        ((3, 8, 3), "float32"),
        ((3, 8, 2), "float32"),
        ((3, 8), "bool"),
        ((3,), "float64"),
    ]
    _, buffers = requests.run(problem, 0, Program(cases[0].signature, (("lr", 0.0),), b""), cases[:1])
    assert len(buffers) == 5
