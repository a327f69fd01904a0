"""Why a submission failed, for its author: the reason, the recognised mistake, the smallest counterexample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from judge import mistakes, reason
from judge.checks import check_answer
from judge.checks.arrays import whole
from judge.evidence import Evidence
from judge.model.case import Case, Value
from judge.model.outcome import Answer, Program, Shard
from judge.model.problem import Spec
from judge.model.record import Counterexample, Finding, Part, Sharding
from judge.model.verdict import Verdict
from judge.sandbox import runs

if TYPE_CHECKING:
    from judge.assess import Context

#: Numbers of one returned array that a counterexample may hold; the largest output of a case has some hundreds.
MOST_ELEMENTS = 2000
#: Numbers of one shard that are shown beside its device, and shards of an output: no problem has more devices.
MOST_OF_A_SHARD = 16
MOST_SHARDS = 64
#: Verdicts that a smaller input of the same kind makes clearer.
SEARCHED = frozenset({Verdict.WRONG_ANSWER, Verdict.REPLICAS_DIFFER})


@dataclass(frozen=True, slots=True)
class Told:
    """What a student is told, and how the outputs of the case that it is told of lie over the devices."""

    reason: str
    mistake: str | None = None
    hint: str | None = None
    counterexample: Counterexample | None = None
    shards: tuple[Sharding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Visible:
    """A case that may be shown, what came out, and the fault that a search shrank it for."""

    case: Case
    answer: Answer | None
    finding: Finding | None = None


def explain(
    context: Context,
    programs: Sequence[Program],
    leading: Finding | None,
    total: Evidence,
    known: Mapping[str, Case],
) -> Told:
    """The words for `leading`, the finding that decided; None is an accepted submission."""
    spec = context.problem.spec
    if leading is None:
        return Told("Everything is right.", shards=_shards(spec, _first_visible(total, known)))
    recognised = _recognised(context, leading, total, known)
    hint = recognised.hint if recognised else None
    found = _search(context, programs, leading, known) if leading.verdict in SEARCHED and programs else None
    smaller = None if found is None else found.finding
    shown = found or _shown(leading, total, known)
    counterexample = None if shown is None else shown_case(shown.case, shown.answer)
    shards = _shards(spec, shown if shown is not None and shown.answer is not None else _first_visible(total, known))
    case = known.get(leading.case)
    if smaller is not None and (case is None or not case.shareable):
        # The sentence of a hidden case holds no number; the counterexample's may.
        text = f"On the smallest input found, {smaller.sentence}"
        text = f"{text} {hint}" if hint else text
    else:
        text = reason.sentence(leading, known, hint)
    return Told(text, recognised.name if recognised else None, hint, counterexample, shards)


def _recognised(
    context: Context, leading: Finding, total: Evidence, known: Mapping[str, Case]
) -> mistakes.Recognised | None:
    if leading.verdict is not Verdict.WRONG_ANSWER:
        return None
    failing = []
    for case_id, found in total.failed.items():
        case, answer = known.get(case_id), total.answers.get(case_id)
        if case is None or answer is None or any(one.verdict is not Verdict.WRONG_ANSWER for one in found):
            continue
        failing.append((case, _arrays(answer)))
    passing = [case for case_id in sorted(total.passed) if (case := known.get(case_id)) is not None]
    return mistakes.recognise(context.oracle, failing, passing=passing) if failing else None


def _arrays(answer: Answer) -> dict[str, NDArray[np.generic]]:
    arrays = {key: whole(output) for key, output in answer.outputs.items()}
    return {key: array for key, array in arrays.items() if array is not None}


def _search(
    context: Context, programs: Sequence[Program], leading: Finding, known: Mapping[str, Case]
) -> _Visible | None:
    """Shrink a fresh failing case on the program; None where none was found in the budget."""
    # It brings Hypothesis, which a class without a wrong answer never pays for.
    from judge import fuzz

    spec = context.problem.spec
    with runs.ProgramRunner(context.session, context.problem, programs) as runner:

        def found(case: Case) -> list[Finding]:
            answer = runner.evaluate(case)
            checked = check_answer(spec, case, answer, "program") if answer is not None else []
            return [one for one in checked if one.verdict is leading.verdict]

        case = fuzz.search(
            context.problem,
            context.bank,
            context.oracle,
            lambda one: bool(found(one)),
            seed=context.bank.seed,
            budget=context.budget,
            like=known.get(leading.case),
            valve_s=context.valve_s,
        )
        if case is None:
            return None
        findings, answer = found(case), runner.evaluate(case)
    if not findings or answer is None:
        return None
    return _Visible(case, answer, findings[0])


def _shown(leading: Finding, total: Evidence, known: Mapping[str, Case]) -> _Visible | None:
    """The case itself, where it may be shown: an example, the throw-away case or a stand-in."""
    case = known.get(leading.case)
    if case is None or not case.shareable:
        return None
    return _Visible(case, total.answers.get(case.id))


def _first_visible(total: Evidence, known: Mapping[str, Case]) -> _Visible | None:
    """The first example that has an answer."""
    answered = (case for case in known.values() if case.shareable and case.id in total.answers)
    return next((_Visible(case, total.answers[case.id]) for case in answered), None)


def _shards(spec: Spec, shown: _Visible | None) -> tuple[Sharding, ...]:
    """Where the outputs that the problem asks for lie; nothing where one device is all there is."""
    if shown is None or shown.answer is None or spec.devices == 1:
        return ()
    outputs = [(key, shown.answer.outputs[key]) for key in spec.outputs if key in shown.answer.outputs]
    return tuple(
        Sharding(shown.case.id, key, output.shape, spec.devices, _parts(output.shards))
        for key, output in outputs
        if output.shards
    )


def _parts(shards: Sequence[Shard]) -> tuple[Part, ...]:
    """Shards by the part that they hold and its bits, the lowest device first."""
    alike: dict[tuple[object, bytes | None], list[Shard]] = {}
    for shard in sorted(shards, key=lambda one: one.device)[:MOST_SHARDS]:
        bits = None if shard.data is None else shard.data.tobytes()
        alike.setdefault((shard.index, bits), []).append(shard)
    return tuple(
        Part(
            tuple(shard.device for shard in held),
            held[0].index,
            None if (data := held[0].data) is None or data.size > MOST_OF_A_SHARD else plain(data),
        )
        for held in alike.values()
    )


def shown_case(case: Case, answer: Answer | None) -> Counterexample:
    """The numbers of a case that may be shown, beside those of an answer; None is no answer."""
    actual = {} if answer is None else {key: _bounded(value) for key, value in _arrays(answer).items()}
    return Counterexample(
        case.id,
        {name: plain(value) for name, value in case.inputs.items()},
        {name: plain(value) for name, value in case.expected.items()},
        actual,
    )


def _bounded(value: NDArray[np.generic]) -> Any:
    """`plain`, or words for an array too large to print: as lists, what a student may return would fill the memory."""
    if value.size > MOST_ELEMENTS:
        return f"{value.dtype} of shape {list(value.shape)}, too large to show"
    return plain(value)


def plain(value: Value) -> Any:  # lists nest as deep as the array has axes
    """Lists and numbers that JSON can hold; a float32 is spelled as short as it can be, `nan` and `inf` as words."""
    if isinstance(value, np.ndarray):
        return _floats(_short(value) if value.dtype == np.float32 else value.tolist())
    return list(value) if isinstance(value, tuple) else value


def _short(value: NDArray[np.generic]) -> Any:
    if value.ndim == 0:
        return float(str(value[()]))
    return [_short(row) for row in value]


def _floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_floats(one) for one in value]
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
