"""`judge.inspect_one`, on the labelled cases of all problems: real JAX, real sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge import inspect_one
from judge.errors import UsageError
from judge.load.problems import load_problem
from judge.model.inspection import Inspection
from judge.model.outcome import Answer
from judge.model.problem import Problem
from judge.model.record import Counterexample, Record
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.reports.inspection import render
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
from tests.support import ROOT, exercises
from tests.support.records import WRONG as WRONG_RECORD

CASES = Path(__file__).parent / "cases"
PROBLEMS = ROOT / "problems"
ACCEPTED = [
    (folder.name, name)
    for folder in sorted(CASES.iterdir())
    for name, label in json.loads((folder / "labels.json").read_text()).items()
    if label["verdicts"] == ["accepted"]
]
#: Solutions that compute in NumPy: there is nothing of JAX to show.
NUMPY = {("local-means", "s17.py")}
#: Labelled cases and solutions of the problems: file, example, the expression on the line where it goes wrong, what is said.
WRONG = [
    (
        "shard-map-step",
        "case/psum_grads_pmean_loss.py",
        1,
        "jax.lax.psum((gw, gb)",
        "8 times the reference's gradient_w",
    ),
    (
        "shard-map-step",
        "case/experimental_default_check_8x.py",
        1,
        "x @ w + b - y",
        "the psum that JAX adds in the backward",
    ),
    (
        "shard-map-step",
        "case/only_b_is_averaged.py",
        1,
        "return w - lr * gw",
        "which has to be the same on every device",
    ),
    (
        "shard-map-step",
        "case/gradient_ascent_sign.py",
        1,
        "w + lr * gw",
        "neither it nor what follows is a value of the reference",
    ),
    (
        "shard-map-step",
        "case/half_squared_error.py",
        1,
        "jax.lax.pmean((gw, gb, l)",
        "1/2 of the reference's gradient_w",
    ),
    (
        "shard-map-step",
        "replicas_differ/local_steps_called_replicated.py",
        1,
        "return w - lr * gw",
        "differs from device",
    ),
    ("jit-step", "wrong_answer/adds_local_means.py", 1, "gradients.sum(axis=0)", "4 times the reference's gradient"),
    (
        "jit-step",
        "replicas_differ/local_steps_called_whole.py",
        1,
        "w - lr * gradient",
        "differs from device to device",
    ),
    (
        "masked-step",
        "wrong_answer/pmean_of_weighted_parts.py",
        1,
        "jax.lax.pmean(parts",
        "1/8 of the reference's gradient_w",
    ),
    ("pmap-step", "wrong_answer/psum_of_gradients.py", 1, "jax.lax.psum(grads", "8 times the reference's gradient_w"),
    ("ten-steps", "wrong_answer/summed_losses.py", 1, "loss * y.size", "8 times the reference's losses of iteration 0"),
    ("local-means", "wrong_answer/swapped.py", 1, "n @ local / n.sum()", "it is the reference's weighted"),
]


class Bench:
    """A session, and an oracle a problem."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._oracles: dict[str, Oracle] = {}

    def oracle(self, slug: str) -> Oracle:
        if slug not in self._oracles:
            self._oracles[slug] = Oracle(load_problem(PROBLEMS / slug))
        return self._oracles[slug]

    def inspect(self, slug: str, source: bytes, example: int = 1) -> Inspection:
        oracle = self.oracle(slug)
        _, inputs = inspect_one.example_inputs(oracle.problem, f"example-{example}")
        return inspect_one.inspect_one(self.session, oracle, exercises.submission(slug, source), inputs)

    def close(self) -> None:
        for oracle in self._oracles.values():
            oracle.close()


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Session(SandboxSettings()) as session:
        made = Bench(session)
        yield made
        made.close()


def source_of(slug: str, name: str) -> bytes:
    folder, _, file = name.rpartition("/")
    return (CASES / slug / file if folder == "case" else PROBLEMS / slug / "solutions" / name).read_bytes()


@pytest.mark.long("walks through every accepted labelled case")
@pytest.mark.parametrize(("slug", "name"), ACCEPTED, ids=[f"{slug}-{name}" for slug, name in ACCEPTED])
def test_every_accepted_labelled_case_is_followed_to_its_outputs(bench: Bench, slug: str, name: str) -> None:
    found = bench.inspect(slug, source_of(slug, f"case/{name}"))
    inspected = found.inspected
    assert isinstance(inspected.result, Answer)
    assert inspected.trace.notes == ()
    assert found.fault is None
    if (slug, name) not in NUMPY:
        steps = inspected.trace.steps
        for key in bench.oracle(slug).problem.spec.outputs:
            assert inspected.made[key], key
            assert all(steps[number].moments for number in inspected.made[key])
        assert any(entry.reference for row in found.rows for entry in row.entries)


@pytest.mark.long("walks through a dozen wrong solutions")
@pytest.mark.parametrize(
    ("slug", "name", "example", "text", "said"), WRONG, ids=[f"{one[0]}-{one[1]}" for one in WRONG]
)
def test_a_wrong_solution_is_pointed_at_on_its_line(
    bench: Bench, slug: str, name: str, example: int, text: str, said: str
) -> None:
    source = source_of(slug, name)
    fault = bench.inspect(slug, source, example).fault
    assert fault is not None
    assert text in source.decode().splitlines()[fault.line - 1]
    assert said in " ".join(fault.sentences)


def test_the_gradient_of_each_device_stands_before_and_after_its_mean(bench: Bench) -> None:
    lines = render(bench.inspect("shard-map-step", source_of("shard-map-step", "case/hint_style_eager.py")))
    place = next(number for number, line in enumerate(lines) if 'gw = jax.lax.pmean(gw, "data")' in line)
    assert [line.strip() for line in lines[place + 1 : place + 5]] == [
        "psum of gradient[0] over data, devices 0-7",
        "before  -6, -20, -42, -72, -110, -156, -210, -272 on devices 0-7",
        "after   -888 on devices 0-7   = the reference's sum over the devices of shard_gradient_w",
        "gw float32[1,1]:  -111 on devices 0-7   = the reference's gradient_w",
    ]


def counterexample(problem: Problem) -> Counterexample:
    inputs = {"w": [[0.0]], "b": [1.0], "x": [[0.0]] * 8, "y": [[0.0]] * 8, "lr": 0.01}
    assert list(inputs) == list(problem.spec.inputs)
    return Counterexample("fuzz-1", inputs, {}, {})


def test_the_counterexample_of_a_record_is_walked_through_though_its_numbers_are_zeros(bench: Bench) -> None:
    slug = "shard-map-step"
    oracle, source = bench.oracle(slug), source_of(slug, "case/psum_grads_pmean_loss.py")
    submission = exercises.submission(slug, source)
    wrong = replace(WRONG_RECORD, counterexample=counterexample(oracle.problem))
    fault = inspect_one.fault_of(bench.session, oracle, submission, wrong)
    assert fault is not None
    assert "psum" in source.decode().splitlines()[fault.line - 1]


@pytest.mark.parametrize("verdict", [Verdict.RUNTIME_ERROR, Verdict.ACCEPTED, Verdict.WRONG_ANSWER])
def test_a_record_of_another_kind_or_without_a_counterexample_is_not_walked_through(
    bench: Bench, verdict: Verdict
) -> None:
    slug = "shard-map-step"
    shown = None if verdict is Verdict.WRONG_ANSWER else counterexample(bench.oracle(slug).problem)
    other: Record = replace(WRONG_RECORD, verdict=verdict, counterexample=shown)
    assert inspect_one.fault_of(bench.session, bench.oracle(slug), exercises.submission(slug, b""), other) is None


def test_examples_go_by_both_their_names_and_hidden_cases_by_none() -> None:
    problem = load_problem(PROBLEMS / "shard-map-step")
    first = next(case for case in problem.spec.cases if case.visible)
    hidden = next(case for case in problem.spec.cases if not case.visible)
    assert (
        inspect_one.example_inputs(problem, None)[0]
        == inspect_one.example_inputs(problem, first.name)[0]
        == "example-1"
    )
    for name in (hidden.name, f"hidden-{hidden.name}", "example-99"):
        with pytest.raises(UsageError, match="there is no example"):
            inspect_one.example_inputs(problem, name)


def test_a_file_that_cannot_be_a_submission_is_refused(bench: Bench) -> None:
    slug = "shard-map-step"
    oracle = bench.oracle(slug)
    _, inputs = inspect_one.example_inputs(oracle.problem, None)
    empty = replace(exercises.submission(slug, b""), fault="the file is empty")
    with pytest.raises(UsageError, match="the file is empty"):
        inspect_one.inspect_one(bench.session, oracle, empty, inputs)
