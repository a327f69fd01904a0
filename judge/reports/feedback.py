"""`feedback/<student>/<slug>.md`: what a student reads about one submission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judge.model.record import Counterexample, Record
from judge.model.verdict import Verdict
from judge.reports.redact import fenced, for_student, markdown, plain, spelled
from judge.reports.shards import rows, told_of


def render(record: Record) -> str:
    """One Markdown page, from what `redact.for_student` lets through and nothing else."""
    seen = for_student(record)
    score = "not graded" if seen["score"] is None else f"{seen['score']:g} of {seen['max_score']:g} points"
    parts = [
        f"# {markdown(seen['problem'])}: {seen['verdict'].replace('_', ' ')}",
        f"{markdown(seen['student'])} - {score}",
        *(markdown(why) for why in seen["credit"]),
        markdown(seen["reason"]),
    ]
    if record.verdict not in {Verdict.ACCEPTED, Verdict.UNGRADED}:
        parts.append(f"What that means and what to try: `judge explain {seen['verdict']}`")
    if seen["groups"]:
        parts.append(_groups(seen))
    if seen["counterexample"] is not None and record.verdict is not Verdict.ACCEPTED:
        parts.append(_counterexample(seen["counterexample"]))
    if seen["shards"] and record.verdict is not Verdict.ACCEPTED:
        parts.append(_shards(seen))
    if seen["collectives"]:
        parts.append(_collectives(seen))
    if seen["stdout"].strip():
        parts.append(f"## What it printed on the examples\n\n{fenced(seen['stdout'])}")
    if seen["notes"]:
        parts.append("## Notes\n\n" + "\n".join(f"- {markdown(note)}" for note in seen["notes"]))
    return "\n\n".join(parts) + "\n"


def _groups(seen: Mapping[str, Any]) -> str:
    rows = [
        f"| {one.name} | {one.passed} of {one.total} | {one.points:g} of {one.max_points:g} |" for one in seen["groups"]
    ]
    return "\n".join(["| group | passed | points |", "|---|--:|--:|", *rows])


def _counterexample(found: Counterexample) -> str:
    return f"## An input that shows it\n\n{fenced(as_lines(found))}"


def as_lines(found: Counterexample) -> str:
    """The counterexample as lines to paste into Python, and what came out beside what should have."""
    inputs = [f"{name} = {spelled(value)}" for name, value in found.inputs.items()]
    return "\n".join([*inputs, *expected_and_actual(found)])


def expected_and_actual(found: Counterexample) -> list[str]:
    """What should have come out and what did, as comments."""
    lines = [f"# expected {name} = {spelled(value)}" for name, value in found.expected.items()]
    # The keys are the student's own, and may hold line breaks.
    lines += [f"# yours    {plain(name, most=200)} = {spelled(value)}" for name, value in found.actual.items()]
    return lines


def _shards(seen: Mapping[str, Any]) -> str:
    told = [
        f"| {markdown(row.sharding.output)} | {row.devices} | {row.where} | {markdown(row.values)} |"
        for row in rows(seen["shards"])
    ]
    title = f"## Shards by device, on {markdown(told_of(seen['shards']))}"
    return "\n".join([title, "", "| output | devices | part | values |", "|---|---|---|---|", *told])


def _collectives(seen: Mapping[str, Any]) -> str:
    rows = []
    for one in seen["collectives"]:
        groups = "; ".join(" ".join(map(str, group)) for group in one["groups"]) or "-"
        rows.append(f"| {markdown(one['op'])} | {one['line'] or '-'} | {groups} |")
    how = (
        "the exported program" if seen["structure_evidence"] == "program" else "the modules that the live run compiled"
    )
    head = f"## Collectives in {how}\n\n| collective | line | devices |\n|---|--:|---|"
    return "\n".join([head, *rows])
