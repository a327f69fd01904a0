"""Problem folders -> `Problem`. Every fault of a problem is reported at once, each with its file, line and remedy."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from judge.errors import Fault, FaultyFile, UsageError
from judge.load.consistency import inconsistencies
from judge.load.document import Document, read_document, read_text
from judge.load.schema import problem_schema
from judge.load.validation import validated
from judge.model.problem import Problem, Spec

SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
#: Files that a verdict depends on, in the order in which the digest takes them.
DECIDING = ("problem.yaml", "oracle.py", "mistakes.py", "statement.md")


def find_root(given: Path | None) -> Path:
    """The folder of problems: `given`, else `problems` here or above, else what came with the judge.

    Raises:
        UsageError: there is none.
    """
    if given is not None:
        if not given.is_dir():
            raise UsageError(f"{given} is not a folder; name a folder of problems with --problems")
        return given
    here = Path.cwd()
    package = Path(__file__).resolve().parent.parent
    carried = (package / "_problems", package.parent / "problems")
    for place in (*(folder / "problems" for folder in (here, *here.parents)), *carried):
        if place.is_dir() and problem_folders(place):
            return place
    raise UsageError("no folder of problems was found; name one with --problems DIR")


def nearest(wanted: str, known: Iterable[str]) -> str:
    """What to say to who asked for a problem that there is not: the one that may be meant, else all."""
    slugs = sorted(known)
    near = [slug for slug in slugs if wanted and wanted in slug] or difflib.get_close_matches(wanted, slugs, n=1)
    return f"did you mean {near[0]}?" if len(near) == 1 else f"there are: {', '.join(slugs) or 'none'}"


def problem_folders(root: Path) -> list[Path]:
    """Folders with a problem.yaml directly below `root`, by name."""
    try:
        return sorted(folder for folder in root.iterdir() if (folder / "problem.yaml").exists())
    except OSError as error:
        raise UsageError(
            f"{root} cannot be read ({error.strerror}); name a folder of problems with --problems"
        ) from error


def load_problems(
    root: Path, wanted: Collection[str] | None = None
) -> tuple[dict[str, Problem], dict[str, FaultyFile]]:
    """(good ones, faulty ones) by slug, of all problems or of those `wanted`. A broken one never takes the others along."""
    good: dict[str, Problem] = {}
    faulty: dict[str, FaultyFile] = {}
    for folder in problem_folders(root):
        if wanted is not None and folder.name not in wanted:
            continue
        try:
            good[folder.name] = load_problem(folder)
        except FaultyFile as fault:
            faulty[folder.name] = fault
    return good, faulty


def entry_of(folder: Path) -> str:
    """The function that the problem in `folder` asks for; `solve` where the problem is broken, which is told elsewhere."""
    try:
        return load_problem(folder).spec.entry
    except FaultyFile:
        return "solve"


def load_problem(folder: Path) -> Problem:
    """The problem in `folder`.

    Raises:
        FaultyFile: with every fault that was found.
    """
    faults = _name_faults(folder)
    document, found = read_document(folder / "problem.yaml")
    faults += found
    spec = None
    if document is not None and not found:
        spec, found = _spec(document)
        faults += found
    faults += _file_faults(folder, needed(spec))
    if spec is not None and document is not None:
        faults += inconsistencies(spec, document)
    if faults or spec is None:
        raise FaultyFile(f"problem {folder.name}", faults)
    statement, _ = read_text(folder / "statement.md")
    assert statement is not None, "an unreadable statement is a fault"
    return Problem(slug=folder.name, folder=folder, digest=digest(folder), spec=spec, statement=statement)


def needed(spec: Spec | None) -> tuple[str, ...]:
    """Files that lie beside problem.yaml; all of them where nothing is known of the problem."""
    if spec is None or spec.bundle != "student":
        return ("statement.md", "starter.py", "oracle.py", "mistakes.py")
    return ("statement.md", "starter.py") + (("oracle.py",) if spec.oracle == "public" else ())


def require_whole(problem: Problem, purpose: str) -> None:
    """Refuse a student's bundle for what needs the whole problem.

    Raises:
        UsageError: it is one.
    """
    if problem.spec.bundle == "student":
        raise UsageError(
            f"{problem.folder} is a student's bundle: it has no hidden cases, no mistakes and no solutions, so it is nothing to "
            f"{purpose}; name the folder of the whole problem with --problems"
        )


def digest(folder: Path) -> str:
    """SHA-256 over the names and contents of the files that decide a verdict."""
    content = hashlib.sha256()
    for name in filter(lambda name: (folder / name).is_file(), DECIDING):
        content.update(f"{name}\0".encode() + hashlib.sha256((folder / name).read_bytes()).digest())
    return content.hexdigest()


def _name_faults(folder: Path) -> list[Fault]:
    if SLUG.fullmatch(folder.name):
        return []
    return [
        Fault(folder, None, f"{folder.name!r} is no slug", "name the folder in small letters, digits and single dashes")
    ]


def _file_faults(folder: Path, names: Iterable[str]) -> list[Fault]:
    faults = []
    for name in names:
        _, fault = read_text(folder / name)
        if fault is not None:
            faults.append(fault)
    return faults


def _spec(document: Document) -> tuple[Spec | None, list[Fault]]:
    return validated(document, _with_types(document.data), Spec, problem_schema)


def _with_types(data: Any) -> Any:
    """Inputs without a `type` are arrays."""
    inputs = data.get("inputs")
    if not isinstance(inputs, dict):
        return data
    filled = {
        name: {"type": "array", **one} if isinstance(one, dict) and "type" not in one else one
        for name, one in inputs.items()
    }
    return {**data, "inputs": filled}
