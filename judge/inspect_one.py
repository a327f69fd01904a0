"""`judge inspect`: one submission on one input, with what every device held beside each line.

What is told comes from the student's own process: it is there to be looked at, and no verdict is made of it. The values of the
reference stay on this side.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from judge.bank.make import in_call_order
from judge.bank.pinned import pinned_drafts
from judge.bank.values import uniform
from judge.errors import FaultyFile, JudgeFault, UsageError
from judge.inspection.fault import first_fault
from judge.inspection.listing import listing
from judge.inspection.references import Floats, Known, recognised, references
from judge.inspection.source import Text
from judge.load.values import parse_inputs
from judge.model.case import Value
from judge.model.inspection import Fault, Inspection
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.oracle.extents import extents
from judge.oracle.reference import Reference
from judge.sandbox.inspections import run_inspections
from judge.sandbox.session import Session

#: Of the inputs that tell what is the reference's from what is so by chance. Any number does.
OTHER_SEED = 20261130
#: Verdicts that a walk through the values explains.
EXPLAINED = frozenset({Verdict.WRONG_ANSWER, Verdict.REPLICAS_DIFFER})


def example_inputs(problem: Problem, name: str | None) -> tuple[str, dict[str, Value]]:
    """Name and inputs of a visible case: `example-1` and so on, or the name that problem.yaml gives it; the first by default.

    Raises:
        UsageError: there is no visible case of that name. A hidden one is as unknown as any.
    """
    drafts = zip(problem.spec.cases, pinned_drafts(problem), strict=True)
    visible = {pinned.name: draft for pinned, draft in drafts if pinned.visible}
    for pinned, draft in visible.items():
        if name is None or name in (pinned, draft.id):
            return draft.id, dict(draft.inputs)
    known = ", ".join(draft.id for draft in visible.values())
    raise UsageError(f"there is no example {name!r} of {problem.slug}; there are: {known}")


def inspect_one(
    session: Session,
    oracle: Oracle,
    submission: Submission,
    inputs: Mapping[str, Value],
    *,
    everything: bool = False,
) -> Inspection:
    """Run a submission once on `inputs` and look at every step.

    Raises:
        UsageError: the file cannot be a submission at all.
        JudgeFault: no process could be had.
    """
    problem = oracle.problem
    if submission.fault or submission.unreadable:
        raise UsageError(f"{submission.file}: {submission.fault or submission.unreadable}")
    expected, known = _known(oracle, inputs)
    other = _other_inputs(problem, inputs) if known else None
    both = [inputs] if other is None else [inputs, other]
    inspected, *witness = run_inspections(session, problem, submission, both)
    again = _known(oracle, other)[1] if other is not None else ()
    times = recognised(inspected.trace, known, witness[0].trace if witness and again else None, again)
    text = Text.of(submission.source)
    rows = listing(inspected.trace, text, times[0] if times else {}, everything=everything)
    return Inspection(inspected, rows, first_fault(problem.spec, inspected, text, expected, times))


def _other_inputs(problem: Problem, inputs: Mapping[str, Value]) -> dict[str, Value]:
    """Inputs of the same shapes and ints, with arrays and floats drawn afresh."""
    spec, rng = problem.spec, np.random.Generator(np.random.PCG64(OTHER_SEED))
    arrays = uniform(spec, next(iter(spec.fuzz.strata.values())), extents(spec, inputs), rng)
    floats = {name: float(rng.uniform(0.1, 0.9)) for name, value in inputs.items() if isinstance(value, float)}
    return in_call_order(spec, {**inputs, **arrays, **floats})


def fault_of(session: Session, oracle: Reference, submission: Submission, record: Record) -> Fault | None:
    """Where a submission goes wrong on the counterexample of its record, which is never a hidden case.

    None where the record has none, its verdict is of another kind, the oracle is private, nothing leads there, or the judge
    fails: the record stands without it.
    """
    if record.verdict not in EXPLAINED or record.counterexample is None or not isinstance(oracle, Oracle):
        return None
    inputs, unfit = parse_inputs(oracle.problem.spec, record.counterexample.inputs)
    try:
        return None if unfit else inspect_one(session, oracle, submission, inputs).fault
    except JudgeFault:
        return None


def _known(oracle: Oracle, inputs: Mapping[str, Value]) -> tuple[dict[str, tuple[Floats, Floats]], Known]:
    """Expected outputs with their tolerances, and every value of the reference by name. Nothing where there is no oracle, or
    where it has no answer to a student's own input."""
    if not oracle.problem.oracle_file.is_file():
        return {}, ()
    try:
        outputs, tolerance = oracle.with_tolerance(inputs)
        on_the_way = oracle.intermediates(inputs)
    except FaultyFile:
        return {}, ()
    expected = {key: (np.asarray(value, np.float64), tolerance[key]) for key, value in outputs.items()}
    values, tolerances = on_the_way or ({}, {})
    parts = {name: (np.asarray(value, np.float64), tolerances[name]) for name, value in values.items()}
    return expected, references(parts, expected)
