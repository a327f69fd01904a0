"""The smallest input that shows a fault: Hypothesis searches and shrinks, on cases drawn afresh.

The search climbs a ladder of signatures, from the smallest to that of the case that is known to fail, and draws small whole
numbers; its last rung has numbers of that case's stratum, with few digits. On the first rung where something fails Hypothesis
shrinks, and no higher one is tried. What a search may spend is counted in evaluations of the submission and not in seconds,
so that one seed gives one counterexample; when the budget is spent the best that was found counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import Phase, given
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from judge.bank.engine import settled, steady
from judge.bank.make import Draft, finish, float_scalars, in_call_order, key, seed_of, sizes_of
from judge.bank.values import array_inputs, obey_masks
from judge.errors import FaultyFile
from judge.model.case import Bank, Case, Signature, Value
from judge.model.problem import ArrayInput, BoolRange, FloatRange, Problem, Spec
from judge.oracle.client import OracleStopped
from judge.oracle.extents import concrete
from judge.oracle.reference import Reference

#: The largest whole number drawn: what a student can follow by hand.
SMALL = 4
#: Draws on one rung before the next, larger one is tried.
DRAWS = 8

Fails = Callable[[Case], bool]
Floats = tuple[tuple[str, float], ...]
Arrays = dict[str, np.ndarray[Any, Any]]


class _Fails(Exception):
    """How Hypothesis is told that a draw fails."""


class _Enough(BaseException):
    """There is nothing left to spend, or no sense in it. Hypothesis lets through what is no `Exception`: it stops at once."""


@dataclass(frozen=True, slots=True)
class Rung:
    """Where draws are made: a signature, float scalars, and a stratum; `whole` draws small whole numbers instead."""

    signature: Signature
    floats: Floats
    stratum: str
    whole: bool


@dataclass(slots=True)
class Trial:
    """One search: what it has spent, what it knows of inputs met before, and the smallest failing case so far."""

    problem: Problem
    oracle: Reference
    fails: Fails
    budget: int
    over: Callable[[], bool]
    verdicts: dict[tuple[object, ...], bool]
    spent: int = 0
    expired: bool = False
    broken: Exception | None = None
    best: Case | None = None
    weight: tuple[float, ...] = field(default=(math.inf,))

    def failing(self, inputs: Mapping[str, Value], stratum: str) -> bool:
        """Whether the submission fails on `inputs`. Asked twice it answers alike: Hypothesis counts on that.

        Raises:
            _Enough: there is nothing left to spend.
        """
        known = key(inputs)
        if known not in self.verdicts:
            self.expired = self.over()
            if self.expired or self.spent >= self.budget:
                raise _Enough
            self.spent += 1
            try:
                self.verdicts[known] = self._tried(inputs, stratum)
            except Exception as error:  # noqa: BLE001  raised again as it is
                # A fault of the judge or the oracle is nothing for Hypothesis to shrink; `search` raises it again.
                self.broken = error
                raise _Enough from None
        return self.verdicts[known]

    def _tried(self, inputs: Mapping[str, Value], stratum: str) -> bool:
        try:
            draft = Draft("counterexample", "examples", "the smallest input found", inputs, stratum)
            (case,) = finish(self.problem, self.oracle, [draft])
        except OracleStopped:
            raise
        except FaultyFile:
            # Where the oracle has no answer, such as a mean over nothing, there is nothing to fail.
            return False
        if not self.fails(case):
            return False
        weight = _weight(inputs)
        if weight < self.weight:
            self.best, self.weight = case, weight
        return True


def _weight(inputs: Mapping[str, Value]) -> tuple[float, ...]:
    """Fewer numbers that are not zero, then smaller ones, then fewer minus signs; a mask is light where it is True."""
    arrays = [np.asarray(value) for value in inputs.values()]
    numbers = [~array if array.dtype.kind == "b" else array for array in arrays]
    nonzero = sum(np.count_nonzero(array) for array in numbers)
    magnitude = sum(float(np.abs(array.astype(np.float64)).sum()) for array in numbers)
    negative = sum(np.count_nonzero(array < 0) for array in numbers)
    return float(nonzero), magnitude, float(negative)


def search(
    problem: Problem,
    bank: Bank,
    oracle: Reference,
    fails: Fails,
    *,
    seed: int,
    budget: int = 300,
    like: Case | None = None,
    valve_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Case | None:
    """The smallest case found that `fails`. Its id is `counterexample`, and it may be shown: no bank has it.

    Args:
        fails: whether a submission fails a case; called at most `budget` times, and once more for the result.
        like: a case that is known to fail; nothing larger is tried.
        valve_s: seconds after which the search is given up and its result dropped, however good.

    Returns:
        None when nothing failed, when what failed passes on a second look, or when time ran out.

    Raises:
        OracleStopped: the oracle no longer answers. Whatever `fails` raises comes through as well.
    """
    with steady():
        # Waiting for other searches costs no time of this one's.
        expires_s = math.inf if valve_s is None else clock() + valve_s
        known = {key(case.inputs): False for case in (*bank.cases, *bank.throwaways)}
        trial = Trial(problem, oracle, fails, budget, lambda: clock() > expires_s, known)
        for place, rung in enumerate(_ladder(problem.spec, bank, like)):
            if not _climbed(trial, rung, seed_of(seed, "search", place)):
                break
    if trial.broken is not None:
        raise trial.broken
    if trial.expired or trial.best is None or not fails(trial.best):
        return None
    return trial.best


def _ladder(spec: Spec, bank: Bank, like: Case | None) -> Iterator[Rung]:
    shown = [case for case in bank.cases if case.group != "hidden"]
    signatures = {case.signature for case in shown}
    floats = {float_scalars(spec, case.inputs) for case in shown}
    # A shape or a rate that only hidden cases have is a number of theirs.
    pairs = {
        (case.signature, rates): None
        for case in bank.cases
        if case.signature in signatures and (rates := float_scalars(spec, case.inputs)) in floats
    }
    ordered = sorted(pairs, key=lambda pair: _size(spec, *pair))
    strata = list(spec.fuzz.strata)
    if like is not None:
        own = like.signature, float_scalars(spec, like.inputs)
        smaller = [pair for pair in ordered if _size(spec, *pair) < _size(spec, *own)]
        ordered = [*smaller, own] if own in pairs else smaller or ordered[:1]
        strata = [like.stratum] if like.stratum in strata else strata
    for pair in ordered:
        yield Rung(*pair, strata[0], whole=True)
    for stratum in strata:
        yield Rung(*(ordered[-1] if like is not None else ordered[0]), stratum, whole=False)


def _size(spec: Spec, signature: Signature, floats: Floats) -> tuple[Any, ...]:
    """Fewer numbers first; among equals rates that change something, and those that are shorter to write."""
    sizes = sizes_of(signature)
    count = sum(math.prod(concrete(one.shape, sizes)) for one in array_inputs(spec).values())
    static = sum(value if isinstance(value, int) else len(value) for _, value in signature.static)
    zeros = sum(value == 0 for _, value in floats)
    return count, static, zeros, sum(len(repr(value)) for _, value in floats), str(signature), floats


def _climbed(trial: Trial, rung: Rung, seed: int) -> bool:
    """Draw and shrink on `rung`; whether there is a reason to try the next one."""
    static: dict[str, Any] = {**dict(rung.signature.static), **dict(rung.floats)}

    @seeded(seed)
    @settled(DRAWS, (Phase.generate, Phase.shrink))
    @given(_arrays(trial.problem.spec, rung))
    def passes(arrays: Arrays) -> None:
        if trial.failing(in_call_order(trial.problem.spec, {**static, **arrays}), rung.stratum):
            raise _Fails

    try:
        passes()
    except (_Fails, _Enough):
        return False
    except HypothesisException:
        # Its complaints, of draws that behave differently, are about this judge: no reason to lose a verdict.
        return trial.best is None
    return True


def _arrays(spec: Spec, rung: Rung) -> st.SearchStrategy[Arrays]:
    sizes = sizes_of(rung.signature)
    drawn = {
        name: _array(described, _elements(spec, name, described, rung), concrete(described.shape, sizes))
        for name, described in array_inputs(spec).items()
    }
    return st.fixed_dictionaries(drawn).map(lambda arrays: _obedient(spec, rung.stratum, arrays))


def _array(
    described: ArrayInput, elements: st.SearchStrategy[Any], shape: Sequence[int]
) -> st.SearchStrategy[np.ndarray[Any, Any]]:
    count = math.prod(shape)
    flat = st.lists(elements, min_size=count, max_size=count)
    return flat.map(lambda values: np.array(values, dtype=described.dtype).reshape(tuple(shape)))


def _elements(spec: Spec, name: str, described: ArrayInput, rung: Rung) -> st.SearchStrategy[Any]:
    """What one element may be. Numbers shrink towards 0, or the offset of the range; a mask shrinks towards True."""
    within = spec.fuzz.strata[rung.stratum].ranges[name]
    if isinstance(within, BoolRange):
        return st.booleans().map(lambda value: not value)
    if rung.whole:
        ends = [one for stratum in spec.fuzz.strata.values() if isinstance(one := stratum.ranges[name], FloatRange)]
        low = max(-SMALL, math.ceil(min(one.min + one.offset for one in ends)))
        high = min(SMALL, math.floor(max(one.max + one.offset for one in ends)))
        if low < high:
            return st.integers(low, high)
    # Steps of a round decimal size, some hundred of them: two or three digits a number.
    step = 1.0 if np.dtype(described.dtype).kind in "iu" else _step(within)
    low, high = math.ceil(within.min / step), math.floor(within.max / step)
    if low > high:
        return st.just(within.min + within.offset)
    return st.integers(low, high).map(lambda value: float(f"{value * step:.12g}") + within.offset)


def _step(within: FloatRange) -> float:
    width = within.max - within.min
    return float(10.0 ** math.floor(math.log10(width / 64))) if width > 0 else 1.0


def _obedient(spec: Spec, stratum: str, arrays: Arrays) -> Arrays:
    """With one True at least where a mask must have it, and other values where rows are not valid."""
    for name, described in array_inputs(spec).items():
        if described.at_least_one and not arrays[name].any():
            arrays[name].reshape(-1)[0] = True
    obey_masks(spec, spec.fuzz.strata[stratum], arrays, np.random.Generator(np.random.PCG64(0)))
    return arrays
