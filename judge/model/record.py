"""What is kept of a graded submission: one record, from which every report is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from judge.model.verdict import Verdict

Evidence = Literal["program", "live"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, as a check found it.

    Attributes:
        verdict: what it makes of the submission.
        check: the check, as the YAML spells it.
        source: `live`, `program` or `structure`.
        case: id of the case, "" for facts about the whole program.
        output: key of the output, "" where it is about none.
        sentence: for the student, with numbers; shown when the case is shareable.
        discreet: the same without a number of the case; shown when it is hidden.
        size: the greatest error in tolerances; None where it has no size.
    """

    verdict: Verdict
    check: str
    source: str
    case: str
    output: str
    sentence: str
    discreet: str
    size: float | None = None


@dataclass(frozen=True, slots=True)
class GroupScore:
    """Points of a group: `points` of `max_points` for `passed` of `total`."""

    name: str
    passed: int
    total: int
    points: float
    max_points: float


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest input known to show the fault: plain lists and numbers, and whether the search ended by itself."""

    case: str
    inputs: Mapping[str, Any]
    expected: Mapping[str, Any]
    actual: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """What some devices hold of an output: the same part with the same bits, which makes them replicas of each other.

    Attributes:
        devices: in ascending order.
        index: (start, stop) an axis.
        values: plain lists and numbers; None where there are too many to print.
    """

    devices: tuple[int, ...]
    index: tuple[tuple[int, int], ...]
    values: Any = None


@dataclass(frozen=True, slots=True)
class Sharding:
    """How an output of one case lies over `devices` devices. The case is one that its student may see."""

    case: str
    output: str
    shape: tuple[int, ...]
    devices: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Credit:
    """What a course makes of a judged score.

    Attributes:
        score: the final one, in points of the course; None where there is none.
        max_score: what the problem is worth.
        submitted: when it was handed in, as ISO 8601 with its offset; "" where nothing tells.
        lost: points that lateness cost.
        by_hand: whether a grader gave the score.
        why: sentences for the student about lateness and decisions by hand; none where nothing needs a word.
    """

    score: float | None
    max_score: float
    submitted: str = ""
    lost: float = 0.0
    by_hand: bool = False
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of `results.json`. Field meanings: `judge/README.md`, section on results.

    `score` is what the judge found and `credit` what the course makes of it; reports show `final_score` of `final_max`.
    """

    student: str
    problem: str
    file: str
    sha256: str
    verdict: Verdict
    score: float | None
    max_score: float
    evidence: Evidence | None
    structure_evidence: str | None
    reason: str
    mistake: str | None
    hint: str | None
    counterexample: Counterexample | None
    groups: tuple[GroupScore, ...]
    seconds: Mapping[str, float]
    usage: Mapping[str, float]
    notes: tuple[str, ...] = ()
    stdout: str = ""
    collectives: tuple[Mapping[str, Any], ...] = ()
    cases: tuple[Mapping[str, Any], ...] = field(default=())
    key: str = ""
    shards: tuple[Sharding, ...] = ()
    credit: Credit | None = None

    @property
    def final_score(self) -> float | None:
        return self.score if self.credit is None else self.credit.score

    @property
    def final_max(self) -> float:
        return self.max_score if self.credit is None else self.credit.max_score
