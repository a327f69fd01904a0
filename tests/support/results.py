"""Records for tests of what is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judge.model.record import Counterexample, GroupScore, Part, Record, Sharding
from judge.model.verdict import Verdict

#: Numbers that stand in hidden and fuzzed cases only, and in what the grader alone may read.
PLANTED = ("424242", "737373", "hidden-secret-name", "fuzz-secret-name", "secret-category", "5eed5eed", "cafe0123")

WHOLE = ((0, 1), (0, 1))
#: A name that would act in a page, a spreadsheet, a terminal or XML.
HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m\u202e]]>&\"'{{7*7}}\x00\ud800"


def record(**changes: Any) -> Record:
    """A wrong answer to `shard-map-step`, with hidden cases that hold the planted numbers."""
    values: dict[str, Any] = {
        "student": "ada",
        "problem": "shard-map-step",
        "file": "ada/shard-map-step.py",
        "sha256": "0" * 64,
        "verdict": Verdict.WRONG_ANSWER,
        "score": 30.5,
        "max_score": 100.0,
        "evidence": "program",
        "structure_evidence": "program",
        "reason": "On example 1, `w` is 8.88 at [0, 0], expected 1.11.",
        "mistake": "gradient-eight-times",
        "hint": "Use pmean.",
        "counterexample": Counterexample(
            "counterexample", {"w": [[0.0]], "lr": 0.5}, {"w": [[1.11]], "loss": 121.0}, {"w": [[8.88]], "loss": 121.0}
        ),
        "groups": (
            GroupScore("examples", 1, 2, 10.0, 20.0),
            GroupScore("hidden", 1, 2, 15.0, 30.0),
            GroupScore("fuzzed", 11, 60, 5.5, 30.0),
            GroupScore("placement", 0, 1, 0.0, 10.0),
            GroupScore("structure", 0, 1, 0.0, 10.0),
        ),
        "seconds": {"live": 0.8, "load": 0.1, "export": 0.3, "program": 0.9},
        "usage": {"cpu_s": 1.4, "wall_s": 2.0, "peak_mb": 187.0},
        "collectives": ({"op": "all_reduce", "groups": [[0, 1, 2, 3], [4, 5, 6, 7]], "line": 9},),
        "cases": (
            case("example-1", "examples", passed=True),
            case("example-2", "examples", error=12.5),
            case("hidden-secret-name", "hidden", "secret-category", error=424242.0),
            case("hidden-right", "hidden", passed=True),
            case("fuzz-secret-name", "fuzzed", "secret-category, N=8, D=1", error=737373.0),
        ),
        "key": "cafe0123",
        "shards": (
            Sharding(
                "counterexample", "w", (1, 1), 8, (Part(tuple(range(7)), WHOLE, [[8.88]]), Part((7,), WHOLE, [[1.11]]))
            ),
            Sharding("counterexample", "loss", (), 8, (Part(tuple(range(8)), (), 121.0),)),
            # No judge writes this one; were it there, no student may see it.
            Sharding("hidden-secret-name", "w", (1, 1), 8, (Part((0,), WHOLE, [[424242.0]]),)),
        ),
    }
    return Record(**values | changes)


def accepted(**changes: Any) -> Record:
    groups = (GroupScore("examples", 2, 2, 20.0, 20.0), GroupScore("hidden", 9, 9, 80.0, 80.0))
    values: dict[str, Any] = {
        "verdict": Verdict.ACCEPTED,
        "score": 100.0,
        "reason": "Everything is right.",
        "mistake": None,
        "hint": None,
        "counterexample": None,
        "groups": groups,
    }
    return record(**values | changes)


def ungraded(**changes: Any) -> Record:
    values: dict[str, Any] = {
        "verdict": Verdict.UNGRADED,
        "score": None,
        "evidence": None,
        "structure_evidence": None,
        "reason": "The judge failed: disk full at 5eed5eed.",
        "mistake": None,
        "hint": None,
        "counterexample": None,
        "groups": (),
        "seconds": {},
        "usage": {},
        "collectives": (),
        "cases": (),
        "shards": (),
    }
    return record(**values | changes)


def case(
    name: str, group: str, category: str = "", *, passed: bool = False, error: float | None = None
) -> Mapping[str, Any]:
    return {"id": name, "group": group, "category": category, "passed": passed, "error": error}


def a_class(size: int) -> list[Record]:
    """Wrong answers to six problems, with as much in each record as a real one holds."""
    slugs = ["jit-step", "local-means", "masked-step", "pmap-step", "shard-map-step", "ten-steps"]
    cases = tuple(
        case(f"fuzz-{n}", "fuzzed", "Large values, N=8", passed=n % 3 == 0, error=10.0 + n) for n in range(115)
    )
    whole = Part(tuple(range(8)), ((0, 4), (0, 2)), [[1.0625] * 2] * 4)
    rows = tuple(Part((n,), ((n, n + 1), (0, 4), (0, 2)), [[[1.0625] * 2] * 4]) for n in range(8))
    made = []
    for n in range(size):
        slug = slugs[n % 6]
        shape, parts = ((8, 4, 2), rows) if slug == "pmap-step" else ((4, 2), (whole,))
        changes: dict[str, Any] = {
            "shards": tuple(Sharding("example-1", output, shape, 8, parts) for output in ("w", "b", "loss")),
            "collectives": record().collectives * 3,
        }
        made.append(record(student=f"student-{n:03}", problem=slug, cases=cases, reason="x" * 300, **changes))
    return made
