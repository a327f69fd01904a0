"""The bank of a seed: pinned cases, then fuzzed ones, and what a submission may be shown beside the examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judge.bank.make import ATTEMPTS, Draft, fault, finish, float_scalars, in_call_order, key, seed_of, sizes_of
from judge.bank.pinned import pinned_drafts
from judge.bank.storage import digest_of
from judge.bank.values import uniform
from judge.model.case import Bank, Case, Signature, Value
from judge.model.problem import Problem, Spec
from judge.oracle.extents import signature as signature_of
from judge.oracle.reference import Reference


def draw_bank(problem: Problem, seed: int, oracle: Reference) -> Bank:
    """All cases of `problem` for `seed`; the same bits in every process with the same versions of Hypothesis and NumPy.

    Raises:
        FaultyFile: the oracle is wrong, or the ranges cannot give that many different cases.
    """
    drafts = pinned_drafts(problem)
    used = {key(draft.inputs) for draft in drafts}
    # Hypothesis takes a quarter of a second to import, and a run whose bank is kept draws nothing.
    from judge.bank.fuzzed import fuzzed, unanswered

    if problem.examples_only:
        cases = tuple(finish(problem, oracle, drafts))
        return Bank(seed, cases, (), digest_of(seed, cases, ()), tuple(unanswered(problem, seed, used)))
    drafts += fuzzed(problem, seed, used)
    thrown = _throwaways(problem, seed, [draft for draft in drafts if draft.group == "examples"], used)
    finished = finish(problem, oracle, [*drafts, *thrown])
    cases, throwaways = tuple(finished[: len(drafts)]), tuple(finished[len(drafts) :])
    return Bank(seed, cases, throwaways, digest_of(seed, cases, throwaways))


def _throwaways(problem: Problem, seed: int, examples: Sequence[Draft], used: set[tuple[object, ...]]) -> list[Draft]:
    first = examples[0]
    one = signature_of(problem.spec, first.inputs)
    stratum = next(iter(problem.spec.fuzz.strata))
    floats = float_scalars(problem.spec, first.inputs)
    inputs = _fresh(problem, one, floats, stratum, (seed, "throwaway"), used)
    drafts = [Draft("throwaway", "examples", "", inputs, stratum)]
    if floats:
        met = [dict(float_scalars(problem.spec, example.inputs)) for example in examples]
        others = tuple((name, _another(problem.spec, name, {0.0, *(one[name] for one in met)})) for name, _ in floats)
        inputs = _fresh(problem, one, others, stratum, (seed, "other scalars"), used)
        drafts.append(Draft("throwaway-other-scalars", "examples", "", inputs, stratum))
    return drafts


def _another(spec: Spec, name: str, met: set[float]) -> float:
    """A value of a float scalar that no example has, for what is kept by scalar would come back: one of the bank's shapes,
    else one between those that were met."""
    known = [one for shape in spec.fuzz.shapes for one in shape.values.get(name, ()) if isinstance(one, float | int)]
    return next((float(one) for one in known if one not in met), 0.75 * max(met, key=abs) or 0.5)


def stand_in(problem: Problem, bank: Bank, oracle: Reference, signature: Signature, place: int) -> Case:
    """A case for `signature` that may be shown to a submission: of no bank, with values of its own.

    `place` counts the stand-ins of one submission; strata and float scalars take turns over it. Of the scalars that the bank has
    for the signature those without a zero come first, for a rate of zero hides most faults.
    """
    spec = problem.spec
    alike = [case for case in bank.cases if case.signature == signature]
    if problem.examples_only:
        # Nobody knows the answer to anything else; and all that the bank has may be shown.
        return alike[0]
    known = list(dict.fromkeys(float_scalars(spec, case.inputs) for case in alike))
    telling = [one for one in known if all(value for _, value in one)] or known
    strata = list(spec.fuzz.strata)
    stratum = strata[place % len(strata)]
    used = {key(case.inputs) for case in (*bank.cases, *bank.throwaways)}
    parts = (bank.seed, "stand-in", str(signature), place)
    inputs = _fresh(problem, signature, telling[place % len(telling)], stratum, parts, used)
    sizes = "-".join(f"{name}{value}" for name, value in signature.dims)
    draft = Draft(f"stand-in-{place + 1}-{sizes}", "examples", f"a fresh case of {signature}", inputs, stratum)
    return finish(problem, oracle, [draft])[0]


def _fresh(
    problem: Problem,
    signature: Signature,
    floats: Sequence[tuple[str, float]],
    stratum: str,
    parts: tuple[object, ...],
    used: set[tuple[object, ...]],
) -> dict[str, Value]:
    spec = problem.spec
    for attempt in range(ATTEMPTS):
        rng = np.random.Generator(np.random.PCG64(seed_of(*parts, attempt)))
        arrays = uniform(spec, spec.fuzz.strata[stratum], sizes_of(signature), rng)
        inputs = in_call_order(spec, {**dict(signature.static), **dict(floats), **arrays})
        if key(inputs) not in used:
            return inputs
    raise fault(problem, f"fuzz stratum {stratum}", f"its ranges give nothing new for {signature}", "widen the ranges")
