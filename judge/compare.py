"""Two gradings of a class -> whose verdict or score changes, and why. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.model.record import Record


@dataclass(frozen=True, slots=True)
class Change:
    """One submission that comes out otherwise.

    Attributes:
        student, problem: whose and for what.
        old, new: its records; None where it was not there before, or is not any more.
        why: what is not as it was, as far as the records tell.
    """

    student: str
    problem: str
    old: Record | None
    new: Record | None
    why: str


def changes(
    old: Sequence[Record], new: Sequence[Record], versions: tuple[Mapping[str, str], Mapping[str, str]]
) -> list[Change]:
    """Every change, by student and problem; `versions` are those of the judge and its libraries, then and now."""
    before = {(one.student, one.problem): one for one in old}
    after = {(one.student, one.problem): one for one in new}
    moved = [name for name in sorted({*versions[0], *versions[1]}) if versions[0].get(name) != versions[1].get(name)]
    return [
        Change(*key, before.get(key), after.get(key), _why(before.get(key), after.get(key), moved))
        for key in sorted({*before, *after})
        if _told(before.get(key)) != _told(after.get(key))
    ]


def _told(record: Record | None) -> tuple[object, ...] | None:
    return None if record is None else (*_judged(record), record.final_score, record.final_max)


def _judged(record: Record) -> tuple[object, ...]:
    return (record.verdict, record.score, record.max_score, record.mistake)


def _why(old: Record | None, new: Record | None, moved: Sequence[str]) -> str:
    if old is None:
        return "it was not there before"
    if new is None:
        return "it is not there any more"
    if old.sha256 != new.sha256:
        return "another file was handed in"
    if _judged(old) == _judged(new):
        return "the course decides otherwise"
    if old.key == new.key:
        return "one of the two was not graded"
    return (
        f"{', '.join(moved)} changed, and the problem or its cases may have"
        if moved
        else "the problem or its cases changed"
    )
