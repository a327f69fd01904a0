"""The class at a glance, from the sections of its submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from markupsafe import Markup

from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.html import plots
from judge.reports.html.sections import Section, category, kind, words


@dataclass(frozen=True, slots=True)
class Overview:
    """`rows` of the class table hold a section or None a problem, in the order of `slugs`."""

    students: int
    slugs: tuple[str, ...]
    verdicts: tuple[Mapping[str, Any], ...]
    verdict_bar: Markup
    rows: tuple[tuple[str, tuple[Section | None, ...], str], ...]
    problems: tuple[Mapping[str, Any], ...]
    mistakes: tuple[Mapping[str, Any], ...]
    killers: tuple[Mapping[str, Any], ...]
    times: Markup


def make(sections: Sequence[Section]) -> Overview:
    slugs = tuple(sorted({one.record.problem for one in sections}))
    counts = Counter(one.record.verdict for one in sections)
    verdicts: list[dict[str, Any]] = [
        {"kind": kind(one), "name": words(one), "count": counts[one]} for one in _best_first() if counts[one]
    ]
    timed = [(one.record.problem, one.wall_s, one.kind) for one in sections if one.wall_s is not None]
    return Overview(
        students=len({one.record.student for one in sections}),
        slugs=slugs,
        verdicts=tuple(verdicts),
        verdict_bar=plots.stacked([(one["kind"], one["name"], one["count"]) for one in verdicts]),
        rows=_rows(sections, slugs),
        problems=tuple(_problem(slug, [one for one in sections if one.record.problem == slug]) for slug in slugs),
        mistakes=_mistakes(sections),
        killers=tuple(
            found
            for slug in slugs
            if (found := _killers(slug, [one for one in sections if one.record.problem == slug]))
        ),
        times=plots.times(timed),
    )


def _best_first() -> list[Verdict]:
    return [Verdict.ACCEPTED, *(one for one in Verdict if one is not Verdict.ACCEPTED)]


def _rows(sections: Sequence[Section], slugs: Sequence[str]) -> tuple[tuple[str, tuple[Section | None, ...], str], ...]:
    students: dict[str, dict[str, Section]] = {}
    for one in sections:
        students.setdefault(one.record.student, {})[one.record.problem] = one
    return tuple(
        (
            student,
            tuple(own.get(slug) for slug in slugs),
            f"{sum(one.record.final_score or 0 for one in own.values()):g}",
        )
        for student, own in students.items()
    )


def _problem(slug: str, sections: Sequence[Section]) -> Mapping[str, Any]:
    scores = [one.record.final_score for one in sections if one.record.final_score is not None]
    seconds = [one.wall_s for one in sections if one.wall_s is not None]
    counts = Counter(one.record.verdict for one in sections)
    return {
        "slug": slug,
        "count": len(sections),
        "accepted": counts[Verdict.ACCEPTED],
        "ungraded": counts[Verdict.UNGRADED],
        "mean": f"{mean(scores):.1f}" if scores else "",
        "max": f"{max(one.record.final_max for one in sections):g}",
        "median_s": f"{median(seconds):.2f}" if seconds else "",
        "bar": plots.stacked([(kind(one), words(one), counts[one]) for one in _best_first() if counts[one]], slim=True),
    }


def _mistakes(sections: Sequence[Section]) -> tuple[Mapping[str, Any], ...]:
    """Recognised mistakes, the commonest first."""
    found: dict[tuple[str, str], list[Section]] = {}
    for one in sections:
        if one.record.mistake:
            found.setdefault((one.record.problem, one.record.mistake), []).append(one)
    return tuple(
        {"slug": slug, "name": name, "count": len(made), "hint": made[0].record.hint or "", "made": tuple(made)}
        for (slug, name), made in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def _killers(slug: str, sections: Sequence[Section]) -> Mapping[str, Any] | None:
    """Which cases catch whom, among submissions that came far enough for cases to differ."""
    differing = [one for one in sections if _differ(one.record)]
    if not differing:
        return None
    ids = list(dict.fromkeys(case["id"] for one in differing for case in one.record.cases))
    order = sorted(differing, key=lambda one: (-len(_failed(one.record)), one.record.student))
    return {
        "slug": slug,
        "drawn": plots.matrix(ids, [(one.record.student, _failed(one.record)) for one in order], _groups(differing)),
        "rows": _categories(differing),
        "count": len(differing),
        "others": len(sections) - len(differing),
    }


def _differ(record: Record) -> bool:
    return len({bool(case["passed"]) for case in record.cases}) == 2


def _failed(record: Record) -> frozenset[str]:
    return frozenset(case["id"] for case in record.cases if not case["passed"])


def _groups(sections: Sequence[Section]) -> dict[str, str]:
    return {case["id"]: case["group"] for one in sections for case in one.record.cases}


def _categories(sections: Sequence[Section]) -> tuple[Mapping[str, Any], ...]:
    """A row a category of cases: how many submissions it catches, and how many nothing else catches."""
    totals: dict[tuple[str, str], set[str]] = {}
    caught: dict[tuple[str, str], list[Section]] = {}
    alone: Counter[tuple[str, str]] = Counter()
    for one in sections:
        failed = set()
        for case in one.record.cases:
            name = (case["group"], category(case))
            totals.setdefault(name, set()).add(case["id"])
            if not case["passed"]:
                failed.add(name)
        for name in failed:
            caught.setdefault(name, []).append(one)
        if len(failed) == 1:
            alone[next(iter(failed))] += 1
    return tuple(
        {
            "group": name[0],
            "name": name[1],
            "cases": len(ids),
            "caught": len(caught.get(name, ())),
            "alone": alone[name],
        }
        for name, ids in totals.items()
    )
