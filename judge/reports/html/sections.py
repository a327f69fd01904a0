"""What the page shows of one submission."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from judge.model.record import Record
from judge.model.verdict import ENDS, Verdict
from judge.reports.feedback import as_lines
from judge.reports.html import plots
from judge.reports.shards import rows, told_of

#: The dims and static values at the end of a fuzzed case's category.
SIZES = re.compile(r"(, [A-Za-z_]\w*=(\d+|\([^)]*\)))+$")
#: Stages that the live run is made of.
WITHIN_LIVE = ("load", "first_call", "calls")
WITHIN_PROGRAM = ("compile", "cases")


@dataclass(frozen=True, slots=True)
class Section:
    """One submission. `id` is the anchor, made of numbers only; `kind` is how its verdict is coloured."""

    id: str
    record: Record
    kind: str
    verdict: str
    score: str
    inputs: str
    pairs: Markup
    errors: Markup
    categories: tuple[Mapping[str, Any], ...]
    collectives: tuple[Mapping[str, Any], ...]
    shards: tuple[Mapping[str, Any], ...]
    shards_of: str
    stages: tuple[Mapping[str, Any], ...]

    @property
    def short(self) -> bool:
        """Whether the lines to paste are few enough to stand open."""
        return self.inputs.count("\n") < 16 and len(self.inputs) < 2000

    @property
    def wall_s(self) -> float | None:
        return self.record.usage.get("wall_s")


def make(records: Sequence[Record]) -> tuple[Section, ...]:
    return tuple(_section(f"s{place}", record) for place, record in enumerate(records, start=1))


def kind(verdict: Verdict) -> str:
    """`ok`, `bad` (it ran and is wrong), `end` (it did not come to an end), `none` (not graded)."""
    if verdict is Verdict.ACCEPTED:
        return "ok"
    if verdict is Verdict.UNGRADED:
        return "none"
    return "end" if verdict in ENDS or verdict is Verdict.LOAD_ERROR else "bad"


def words(verdict: Verdict) -> str:
    return verdict.value.replace("_", " ")


def category(case: Mapping[str, Any]) -> str:
    """What a case is about: a pinned one is a category of its own, fuzzed ones share theirs whatever their sizes."""
    return SIZES.sub("", str(case["category"])) or str(case["id"])


def _section(anchor: str, record: Record) -> Section:
    found = record.counterexample if record.verdict is not Verdict.ACCEPTED else None
    return Section(
        id=anchor,
        record=record,
        kind=kind(record.verdict),
        verdict=words(record.verdict),
        score="-" if record.final_score is None else f"{record.final_score:g}",
        inputs="" if found is None else as_lines(found),
        pairs=plots.NOTHING if found is None else plots.pairs(found.expected, found.actual),
        errors=plots.errors(record.cases) if any(not case["passed"] for case in record.cases) else plots.NOTHING,
        categories=_categories(record.cases),
        collectives=_collectives(record.collectives),
        shards=_shards(record),
        shards_of=told_of(record.shards) if record.shards else "",
        stages=_stages(record.seconds),
    )


def _categories(cases: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The categories in which a case failed, with the worst error in tolerances."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for case in cases:
        name = category(case)
        row = rows.setdefault(
            (case["group"], name), {"group": case["group"], "name": name, "passed": 0, "total": 0, "worst": 0.0}
        )
        row["total"] += 1
        row["passed"] += bool(case["passed"])
        row["worst"] = max(row["worst"], case["error"] or 0.0)
    return tuple(
        row | {"worst": f"{row['worst']:.2g}" if row["worst"] else ""}
        for row in rows.values()
        if row["passed"] < row["total"]
    )


def _collectives(found: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {"op": str(one["op"]), "line": one["line"] or "", "drawn": plots.device_groups(one["groups"])} for one in found
    )


def _shards(record: Record) -> tuple[Mapping[str, Any], ...]:
    """A row a part of an output; replicas that differ have a colour each."""
    shown, colours = [], Counter[tuple[str, Any]]()
    for row in rows(record.shards):
        place = (row.sharding.output, row.part.index)
        css = f"h{colours[place] % 4}"
        colours[place] += 1
        shown.append(
            {
                "row": row,
                "chips": plots.chips(row.part.devices, row.sharding.devices, css),
                "region": plots.region(row.sharding.shape, row.part.index, css),
            }
        )
    return tuple(shown)


def _stages(seconds: Mapping[str, float]) -> tuple[Mapping[str, Any], ...]:
    longest = max(seconds.values(), default=0.0)
    return tuple(
        {
            "name": name.replace("_", " "),
            "within": name in (*WITHIN_LIVE, *WITHIN_PROGRAM),
            "seconds": f"{value:.3f}",
            "bar": plots.bar(value, longest),
        }
        for name, value in sorted(seconds.items(), key=_stage_order)
    )


def _stage_order(stage: tuple[str, float]) -> int:
    order = ("live", *WITHIN_LIVE, "export", "program", *WITHIN_PROGRAM, "stand-ins", "compare", "explain")
    return order.index(stage[0]) if stage[0] in order else len(order)
