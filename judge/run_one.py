"""`judge run`: one live call on an input of one's own, each output beside the oracle's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from judge import bank as banks
from judge import evidence
from judge.bank.make import Draft, finish
from judge.checks import COMPARING, check_answer
from judge.checks.arrays import spelled, whole
from judge.checks.values import errors_in_tolerances
from judge.decide import PRIORITY
from judge.errors import FaultyFile, UsageError
from judge.model.case import Case, Value
from judge.model.comparison import Comparison, Element, Output
from judge.model.outcome import Answer, LiveOutcome, OutputArray, Raised
from judge.model.problem import Problem
from judge.model.record import Finding
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.oracle.client import OracleStopped
from judge.oracle.extents import signature
from judge.oracle.reference import Reference
from judge.sandbox import runs
from judge.sandbox.session import Session
from judge.sandbox.unconfined import notice
from judge.store import require_libraries

#: Elements of one output that are listed, and numbers of a device that are.
MOST_ELEMENTS = 16
MOST_NUMBERS = 6


def run(
    problem: Problem,
    submission: Submission,
    inputs: Mapping[str, Value],
    session: Session,
    progress: Callable[[str, str], None],
    *,
    command: str,
) -> Comparison:
    """Call one's own file with `inputs`, and compare.

    Where nothing confines it, `progress` is told so before it runs, with what to put `command` behind.

    Raises:
        UsageError: the file cannot be read, or the oracle has no answer to these inputs.
        JudgeFault: the judge or the machine failed.
    """
    require_libraries()
    if submission.unreadable or submission.fault:
        raise UsageError(f"{submission.file}: {submission.unreadable or submission.fault}")
    with banks.reference(problem) as oracle:
        case = _case(problem, oracle, inputs)
    if not (held := session.confinement()).safe:
        progress("note", notice(held, command))
    live = runs.run_live(session, problem, submission, [(case.id, case)], want_modules=False)
    answer = next((one for _, one in live.answers if isinstance(one, Answer)), None)
    findings = _findings(problem, case, live)
    return Comparison(
        faults=tuple(one.sentence for one in sorted(findings, key=lambda one: PRIORITY[one.verdict])),
        outputs=() if answer is None else _outputs(problem, case, answer, findings),
        compared=bool(case.expected),
        stdout=live.stdout.decode("utf-8", "replace"),
    )


def _case(problem: Problem, oracle: Reference, inputs: Mapping[str, Value]) -> Case:
    """The case of `inputs`; without expected values where the oracle is private."""
    draft = Draft("own-input", "examples", "", inputs)
    try:
        return finish(problem, oracle, [draft])[0]
    except OracleStopped:
        raise
    except FaultyFile as error:
        if problem.examples_only:
            return Case(draft.id, draft.group, "", signature(problem.spec, inputs), inputs, {}, {})
        # Whose fault it is cannot be told here; the inputs are what a student can change.
        raise UsageError(f"the oracle has no answer to these inputs: {error.faults[0].message}; try others") from None


def _findings(problem: Problem, case: Case, live: LiveOutcome) -> list[Finding]:
    cases = {case.id: case}
    if case.expected:
        return evidence.of_live(problem.spec, cases, live).findings
    raised = tuple((label, one) for label, one in live.answers if isinstance(one, Raised))
    findings = evidence.of_live(problem.spec, cases, replace(live, answers=raised)).findings
    for _, one in live.answers:
        if isinstance(one, Answer):
            findings += check_answer(problem.spec, case, one, "live", without=COMPARING)
    return findings


def _outputs(problem: Problem, case: Case, answer: Answer, findings: list[Finding]) -> tuple[Output, ...]:
    """Every output that came back, in the order of the problem; what it does not name comes last."""
    keys = [*problem.spec.outputs, *(key for key in answer.outputs if key not in problem.spec.outputs)]
    unequal = {one.output for one in findings if one.verdict is Verdict.REPLICAS_DIFFER}
    return tuple(_output(case, key, answer.outputs[key], key in unequal) for key in keys if key in answer.outputs)


def _output(case: Case, key: str, actual: OutputArray, unequal: bool) -> Output:
    described, copies = _described(actual), _copies(key, actual) if unequal else ()
    yours, oracle = whole(actual), case.expected.get(key)
    if yours is None or yours.dtype.kind not in "fiub" or (oracle is not None and oracle.shape != yours.shape):
        return Output(key, described, copies=copies)
    errors = np.zeros(yours.shape) if oracle is None else errors_in_tolerances(yours, oracle, case.tolerance[key])
    worst = sorted(np.argsort(-errors.reshape(-1), kind="stable")[:MOST_ELEMENTS].tolist())
    places = list(np.ndindex(yours.shape))
    elements = tuple(
        Element(
            _place(key, places[flat]),
            float(yours.reshape(-1)[flat]),
            None if oracle is None else float(oracle.reshape(-1)[flat]),
            float(errors.reshape(-1)[flat]),
        )
        for flat in worst
    )
    return Output(key, described, elements, yours.size - len(elements), copies)


def _described(actual: OutputArray) -> str:
    if not actual.shards:
        return f"{actual.kind} {actual.dtype}".strip()
    devices = sorted({shard.device for shard in actual.shards})
    text = f"{actual.dtype} {actual.shape}"
    if devices == [-1]:
        return f"{text}, a NumPy array"
    if len(devices) == 1:
        return f"{text}, on device {devices[0]} alone"
    parts = {shard.index for shard in actual.shards}
    how = "whole on each of" if len(parts) == 1 else f"in {len(parts)} parts on"
    return f"{text}, {how} {len(devices)} devices"


def _copies(key: str, actual: OutputArray) -> tuple[tuple[str, str], ...]:
    """What each device holds of the elements in which copies of the same part differ; equal devices stand together."""
    by_index: dict[tuple[tuple[int, int], ...], list[tuple[int, NDArray[np.generic]]]] = {}
    for shard in actual.shards:
        if shard.data is not None:
            by_index.setdefault(shard.index, []).append((shard.device, shard.data))
    told: list[tuple[str, str]] = []
    for index, held in by_index.items():
        stack = np.stack([data for _, data in held])
        places = np.argwhere(~(stack == stack[:1]).all(axis=0))[:MOST_NUMBERS]
        corner = np.array([start for start, _ in index], int)
        together: dict[str, list[str]] = {}
        for device, data in held:
            values = (f"{_place(key, tuple(place + corner))} = {spelled(data[tuple(place)])}" for place in places)
            together.setdefault(", ".join(values), []).append(str(device))
        told += [(f"device{'s' * (len(some) > 1)} {', '.join(some)}", text) for text, some in together.items() if text]
    return tuple(told)


def _place(key: str, index: tuple[int, ...]) -> str:
    return f"{key}[{', '.join(map(str, index))}]" if index else key
