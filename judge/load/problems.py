"""Problem folders -> `Problem`. Every fault of a problem is reported at once, each with its file, line and remedy."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judge.errors import Fault, FaultyFile, UsageError
from judge.load.consistency import inconsistencies
from judge.load.document import Document, KeyPath, read_document, read_text, spell
from judge.model.problem import Problem, Spec

SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
#: Files that a verdict depends on, in the order in which the digest takes them.
DECIDING = ("problem.yaml", "oracle.py", "mistakes.py", "statement.md")
NEEDED = ("statement.md", "starter.py", "oracle.py", "mistakes.py")
#: All that a problem needs to be graded with, wherever its folder is.
FILES = ("problem.yaml", *NEEDED)


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


def problem_folders(root: Path) -> list[Path]:
    """Folders with a problem.yaml directly below `root`, by name."""
    try:
        return sorted(folder for folder in root.iterdir() if (folder / "problem.yaml").exists())
    except OSError as error:
        raise UsageError(
            f"{root} cannot be read ({error.strerror}); name a folder of problems with --problems"
        ) from error


def load_problems(root: Path) -> tuple[dict[str, Problem], dict[str, FaultyFile]]:
    """(good ones, faulty ones) by slug. A broken problem never takes the others along."""
    good: dict[str, Problem] = {}
    faulty: dict[str, FaultyFile] = {}
    for folder in problem_folders(root):
        try:
            good[folder.name] = load_problem(folder)
        except FaultyFile as fault:
            faulty[folder.name] = fault
    return good, faulty


def load_problem(folder: Path) -> Problem:
    """The problem in `folder`.

    Raises:
        FaultyFile: with every fault that was found.
    """
    faults = [*_name_faults(folder), *_file_faults(folder)]
    document, found = read_document(folder / "problem.yaml")
    faults += found
    spec = None
    if document is not None and not found:
        spec, found = _spec(document)
        faults += found
    if spec is not None and document is not None:
        faults += inconsistencies(spec, document)
    if faults or spec is None:
        raise FaultyFile(f"problem {folder.name}", faults)
    statement, _ = read_text(folder / "statement.md")
    assert statement is not None, "an unreadable statement is a fault"
    return Problem(slug=folder.name, folder=folder, digest=digest(folder), spec=spec, statement=statement)


def digest(folder: Path) -> str:
    """SHA-256 over the names and contents of the files that decide a verdict."""
    content = hashlib.sha256()
    for name in DECIDING:
        content.update(f"{name}\0".encode() + hashlib.sha256((folder / name).read_bytes()).digest())
    return content.hexdigest()


def _name_faults(folder: Path) -> list[Fault]:
    if SLUG.fullmatch(folder.name):
        return []
    return [
        Fault(folder, None, f"{folder.name!r} is no slug", "name the folder in small letters, digits and single dashes")
    ]


def _file_faults(folder: Path) -> list[Fault]:
    faults = []
    for name in NEEDED:
        _, fault = read_text(folder / name)
        if fault is not None:
            faults.append(fault)
    return faults


def _spec(document: Document) -> tuple[Spec | None, list[Fault]]:
    data = _with_types(document.data)
    try:
        return Spec.model_validate(data), []
    except ValidationError as error:
        return None, _merged([_translated(document, one) for one in error.errors(include_url=False)])


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


def _merged(found: list[tuple[KeyPath, Fault]]) -> list[Fault]:
    """One fault a value: a union is tried member by member, and each of them complains."""
    merged: dict[KeyPath, Fault] = {}
    for path, fault in found:
        if any(other[: len(path)] == path for other, _ in found if len(other) > len(path)):
            # The member that came furthest says it better.
            continue
        first = merged.setdefault(path, fault)
        if fault.remedy not in first.remedy:
            merged[path] = replace(first, remedy=f"{first.remedy}; or {fault.remedy}")
    return list(merged.values())


def _translated(document: Document, error: Mapping[str, Any]) -> tuple[KeyPath, Fault]:
    kind = error["type"]
    path = _in_file(document, error["loc"], missing=kind == "missing")
    where = spell(path)
    if kind == "extra_forbidden":
        known = _known_keys(error["loc"])
        near = difflib.get_close_matches(str(path[-1]), known, n=1)
        remedy = f"did you mean `{near[0]}`?" if near else f"remove it; known here: {', '.join(known) or 'nothing'}"
        if path[-1] in known:
            remedy = "it does not go with the other keys here; remove it, or them"
        return path, document.fault(path, f"`{where}` is not a known key", remedy)
    if kind == "missing":
        return path, document.fault(path, f"`{where}` is missing", "add it")
    message = error["msg"][:1].lower() + error["msg"][1:]
    return path, document.fault(path, f"`{where}` is {str(error['input'])[:60]!r}", message)


def _in_file(document: Document, location: Iterable[str | int], *, missing: bool) -> KeyPath:
    """A location of pydantic without the names of union members that it puts between keys."""
    path: KeyPath = ()
    parts = list(location)
    for place, part in enumerate(parts):
        if (*path, part) in document.lines or (missing and place == len(parts) - 1):
            path = (*path, part)
    return path


def _known_keys(location: tuple[str | int, ...]) -> list[str]:
    """The keys of the model that an unknown key was found in."""
    from judge.load.schema import keys_at

    return keys_at(location[:-1])
