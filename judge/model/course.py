"""A course as `course.yaml` spells it: which problems count, until when, and what graders decided by hand.

All of it is applied to judged scores after the judging, so nothing here makes a submission be judged again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _with_time(value: Any) -> Any:
    # A date alone would be its first second, and a number seconds since 1970; nobody means either.
    if isinstance(value, datetime) or (isinstance(value, str) and (":" in value or not value[:1].isdigit())):
        return value
    raise ValueError("give the time too, such as 2026-12-01 23:59")


Due = Annotated[datetime, BeforeValidator(_with_time)]


class Late(Model):
    """What lateness costs: `percent` of the points earned for every started `every`, and never more than `at_most` percent.

    What comes in within `grace_minutes` is not late.
    """

    percent: float = Field(ge=0, le=100)
    every: Literal["hour", "day"] = "day"
    at_most: float = Field(100.0, ge=0, le=100)
    grace_minutes: float = Field(0.0, ge=0)


class CourseProblem(Model):
    """One problem. `points` is what it is worth; without, what its own groups add up to. `late` replaces the course's."""

    points: float | None = Field(None, gt=0)
    due: Due | None = None
    late: Late | None = None


class Manual(Model):
    """A decision about one student and one problem, with its reason: the `score`, or another time at which it is `due`."""

    student: str = Field(min_length=1)
    problem: str
    score: float | None = Field(None, ge=0)
    due: Due | None = None
    reason: str = Field(min_length=1)


class CourseSpec(Model):
    """The whole of `course.yaml`. Times without an offset are those of `timezone`."""

    title: str = ""
    timezone: str = "UTC"
    seed_file: str | None = None
    late: Late | None = None
    problems: dict[str, CourseProblem] = Field(min_length=1)
    manual: tuple[Manual, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """A loaded course.

    Attributes:
        file: where it was read.
        spec: what it says; every time in it has its zone.
        lines: of the entries of `spec.manual`, in their order.
    """

    file: Path
    spec: CourseSpec
    lines: tuple[int, ...] = ()

    @property
    def seed_file(self) -> Path | None:
        return None if self.spec.seed_file is None else self.file.parent / self.spec.seed_file

    def points(self, slug: str) -> float | None:
        """What a problem is worth; None where the course does not say."""
        problem = self.spec.problems.get(slug)
        return None if problem is None else problem.points

    def late(self, slug: str) -> Late | None:
        """What lateness costs in a problem; None where it is only reported."""
        problem = self.spec.problems.get(slug)
        return self.spec.late if problem is None or problem.late is None else problem.late

    def due(self, student: str, slug: str) -> tuple[datetime | None, str]:
        """When a student had to hand in, and the reason why that is another time than the others'; None for any time."""
        moved = next((one for one in self._decided(student, slug) if one.due is not None), None)
        if moved is not None:
            return moved.due, moved.reason
        problem = self.spec.problems.get(slug)
        return (None if problem is None else problem.due), ""

    def given(self, student: str, slug: str) -> Manual | None:
        """The score that a grader gave by hand; None where there is none."""
        return next((one for one in self._decided(student, slug) if one.score is not None), None)

    def _decided(self, student: str, slug: str) -> list[Manual]:
        return [one for one in self.spec.manual if (one.student, one.problem) == (student, slug)]
