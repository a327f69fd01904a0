"""Attack programs: the first line says which verdicts are right; what many share stands in `preambles/`.

A program has to stand alone in the sandbox, so the line `# preamble: honest, channel` becomes the text of those files.
"""

from __future__ import annotations

from pathlib import Path

from judge.model.verdict import Verdict

HERE = Path(__file__).parent
LABELLED = HERE / "labelled"
OWN = HERE / "own"
PREAMBLES = HERE / "preambles"
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


def preambles(path: Path) -> list[str]:
    """Names of what a program takes from `preambles/`."""
    lines = path.read_bytes().decode("latin-1").splitlines() if path.parent == OWN else []
    named = [line.removeprefix("# preamble: ").split(", ") for line in lines if line.startswith("# preamble: ")]
    return [name for names in named for name in names]


def source(path: Path) -> bytes:
    """The program as it is handed in."""
    text = path.read_bytes()
    names = preambles(path)
    if not names:
        return text
    shared = b"\n".join((PREAMBLES / f"{name}.py").read_bytes() for name in names)
    return text.replace(f"# preamble: {', '.join(names)}\n".encode(), shared)


def programs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))
