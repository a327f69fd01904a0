"""What can be said of a problem before any solution runs: its oracle, its mistakes, its checks and its relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from judge import bank as banks
from judge.authoring import junk, mutation
from judge.checks import relations
from judge.errors import Fault
from judge.model.case import Bank, Case
from judge.model.outcome import Answer
from judge.model.problem import Problem
from judge.model.verification import Row
from judge.oracle.client import MistakeFailed, Oracle


@dataclass(slots=True)
class Analysis:
    """Rows and faults so far, and the bank that they were found with."""

    bank: Bank
    mistakes: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    minimal: tuple[str, ...] = ()


def analyse(problem: Problem, oracle: Oracle, seed: int, *, minimal: bool) -> Analysis:
    """Everything but the solutions.

    Raises:
        FaultyFile: the oracle or the mistakes cannot be used at all: NaN, changed inputs, no answer.
    """
    bank = banks.draw_bank(problem, seed, oracle)
    analysis = Analysis(bank)
    _oracle(problem, oracle, analysis)
    _on_the_way(oracle, analysis)
    _checks(problem, analysis)
    answers = _answers(problem, oracle, bank.cases)
    analysis.mistakes = list(answers)
    _mistakes(problem, analysis, answers, minimal=minimal)
    _relations(problem, oracle, analysis)
    return analysis


def _oracle(problem: Problem, oracle: Oracle, analysis: Analysis) -> None:
    found: list[Fault] = banks.check_pinned(problem, oracle)
    analysis.faults += [str(one) for one in found]
    pinned = len(problem.spec.cases)
    agrees = "agrees with every pinned case" if not found else f"disagrees in {len(found)} outputs"
    analysis.rows.append(Row("oracle", "pinned values", agrees, f"{pinned} cases", fine=not found))
    for key in mutation.depends_on_nothing(analysis.bank.cases):
        analysis.faults.append(
            f"{problem.oracle_file}: `{key}` is the same in every case of the bank; let it depend on the inputs"
        )
        analysis.rows.append(Row("oracle", key, "depends on nothing", fine=False))


def _on_the_way(oracle: Oracle, analysis: Analysis) -> None:
    """`intermediates` of one case a shape; that they can be used is what the oracle's client sees to."""
    first = {case.signature: case for case in reversed(analysis.bank.cases)}
    found = [oracle.intermediates(case.inputs) for case in first.values()]
    names = list(found[0][0]) if found and found[0] is not None else []
    if names:
        analysis.rows.append(Row("oracle", "values on the way", ", ".join(names), f"{len(first)} shapes"))


def _checks(problem: Problem, analysis: Analysis) -> None:
    spec, file = problem.spec, problem.folder / "problem.yaml"
    passed = junk.asleep(spec, analysis.bank.cases[0])
    analysis.faults += [f"{file}: the checks let pass {one}; tighten the outputs or tolerance" for one in passed]
    tried = sum(1 for _ in junk.junk(spec, junk.right_answer(spec, analysis.bank.cases[0].expected)))
    analysis.rows.append(
        Row("checks", "junk", "refused" if not passed else "let pass", f"{tried} answers", fine=not passed)
    )
    refused = [(case, said[0]) for case in analysis.bank.cases if (said := junk.control(spec, case))]
    for case, sentence in refused[:3]:
        remedy = "narrow the ranges to what the dtype holds, or loosen the tolerance"
        analysis.faults.append(f"{file}: the checks refuse the oracle's own values on {case.id}: {sentence} {remedy}")
    result = "accepted" if not refused else f"refused on {refused[0][0].id}"
    analysis.rows.append(
        Row("checks", "the oracle's own values", result, f"{len(analysis.bank.cases)} cases", fine=not refused)
    )


def _answers(problem: Problem, oracle: Oracle, cases: tuple[Case, ...]) -> mutation.Answers:
    if not problem.mistakes_file.is_file():
        return {}
    answers: dict[str, dict[str, mutation.Outputs | None]] = {one.name: {} for one in oracle.mistakes()}
    for case in cases:
        for name, outputs in oracle.all_mistakes(case.inputs).items():
            answers[name][case.id] = None if isinstance(outputs, MistakeFailed) else outputs
    return answers


def _mistakes(problem: Problem, analysis: Analysis, answers: mutation.Answers, *, minimal: bool) -> None:
    cases, file = analysis.bank.cases, problem.mistakes_file
    ids = [case.id for case in cases]
    errors = mutation.errors(cases, answers)
    if not answers:
        analysis.faults.append(f"{file}: there is no mistake; write those that students make, each as a function")
    for name, one in errors.items():
        found = mutation.killer(one, ids)
        if found is None:
            worst = max(one.values())
            analysis.faults.append(
                f"{file}: no case kills `{name}`: it is {worst:.3g} tolerances off at most, and {mutation.MARGIN:g} are "
                f"needed; add a case that shows it (judge add-case {problem.slug}), or remove it"
            )
        result, figure = ("survives", f"{max(one.values()):.3g} x") if found is None else _killed(found)
        analysis.rows.append(Row("mistakes", name, result, figure, fine=found is not None))
    for first, second in mutation.alike(cases, answers):
        analysis.faults.append(
            f"{file}: no case tells `{first}` from `{second}`; add one that does, or remove one of the two"
        )
        analysis.rows.append(Row("mistakes", first, f"is like {second} on every case", fine=False))
    if minimal:
        pinned = [case.id for case in cases if case.group != "fuzzed"]
        analysis.minimal = mutation.smallest(errors, pinned)
        fuzz_only = mutation.alive(errors, pinned)
        if fuzz_only:
            analysis.rows.append(Row("mistakes", "only fuzzed cases kill", ", ".join(fuzz_only)))


def _killed(found: tuple[str, float]) -> tuple[str, str]:
    return f"killed by {found[0]}", f"{found[1]:.3g} x"


def _relations(problem: Problem, oracle: Oracle, analysis: Analysis) -> None:
    spec, file = problem.spec, problem.folder / "problem.yaml"
    trials = relations.derive(spec, analysis.bank)
    names = list(dict.fromkeys(one.name for one in spec.relations))
    answers = dict(_oracle_says(problem, oracle, trials))
    for name in names:
        own = [trial for trial in trials if trial.name == name]
        broken = [one for trial in own if (one := relations.judge(spec, trial, answers)) is not None]
        if not own:
            analysis.faults.append(
                f"{file}: the relation {name} cannot be tried on any case of the bank; give `fuzz.shapes` what it needs "
                f"(rates other than 0, a rate of 0, N and 2 N rows), or remove it"
            )
        elif broken:
            analysis.faults.append(f"{file}: the relation {name} does not hold for the oracle: {broken[0].sentence}")
        result = "cannot be tried" if not own else "does not hold for the oracle" if broken else "holds for the oracle"
        caught = [one for one in analysis.mistakes if _catches(problem, oracle, own, one)] if own and not broken else []
        figure = f"catches {len(caught)} of {len(analysis.mistakes)} mistakes" if caught else ""
        analysis.rows.append(Row("relations", name, result, figure, fine=bool(own) and not broken))


def _oracle_says(problem: Problem, oracle: Oracle, trials: tuple[relations.Trial, ...]) -> Iterator[tuple[str, Answer]]:
    for trial in trials:
        for case in (trial.base, *trial.derived):
            yield case.id, junk.right_answer(problem.spec, oracle.solve(case.inputs))


def _catches(problem: Problem, oracle: Oracle, trials: list[relations.Trial], mistake: str) -> bool:
    for trial in trials:
        answers = {}
        for case in (trial.base, *trial.derived):
            outputs = oracle.mistake_outputs(mistake, case.inputs)
            if not isinstance(outputs, MistakeFailed):
                answers[case.id] = junk.right_answer(problem.spec, outputs)
        if relations.judge(problem.spec, trial, answers) is not None:
            return True
    return False
