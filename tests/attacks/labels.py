"""The first line of an attack program: which verdicts are right."""

from __future__ import annotations

from pathlib import Path

from judge.model.verdict import Verdict

HERE = Path(__file__).parent
LABELLED = HERE / "labelled"
OWN = HERE / "own"
WORDS = {
    "accepted": {Verdict.ACCEPTED},
    "wrong answer": {one for one in Verdict if one.value.startswith("wrong_")}
    | {Verdict.REPLICAS_DIFFER, Verdict.NOT_REPRODUCIBLE},
    "runtime error": {Verdict.RUNTIME_ERROR, Verdict.EXITED, Verdict.DEADLOCK},
    "compile error": {Verdict.LOAD_ERROR, Verdict.RUNTIME_ERROR},
    "time limit exceeded": {Verdict.TIME_LIMIT},
    "memory limit exceeded": {Verdict.MEMORY_LIMIT},
    "output limit exceeded": {Verdict.OUTPUT_LIMIT},
}


def expected(path: Path) -> frozenset[Verdict]:
    """The verdicts that the label allows; an empty file has none and must not load."""
    first = path.read_bytes().partition(b"\n")[0].decode("latin-1")
    if not first:
        return frozenset({Verdict.LOAD_ERROR})
    words = first.removeprefix("# expect: ").partition(":")[0].split(" or ")
    return frozenset(verdict for word in words for verdict in WORDS[word.strip()])


def programs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))
