"""What goes into the zip.

    setup.sh, run_autograder     as Gradescope calls them
    judge/, requirements.txt     this judge, and the versions of its libraries that are installed here
    problems/<slug>/             the problem without its solutions
    settings                     the slug and the seed: every student faces the same cases
    ungraded.json, nothing.json  results for when the judge fails, and for when no file was handed in

The zip is for the staff: it holds the hidden cases.
"""

from __future__ import annotations

import io
import json
import re
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import judge
from judge.errors import JudgeFault
from judge.load.problems import require_whole
from judge.model.problem import Problem
from judge.reports import gradescope

HERE = Path(__file__).parent
PACKAGE = Path(judge.__file__).parent
SUFFIXES = frozenset({".py", ".j2", ".css", ".js", ".sh", ""})
LEFT_OUT = frozenset({"__pycache__", "solutions", "_problems"})
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def pack(problem: Problem, seed: int) -> bytes:
    """The zip for one problem, the same bytes for the same files and seed.

    Raises:
        UsageError: it is a student's bundle.
        JudgeFault: the judge's own files or the versions of its libraries cannot be found.
    """
    require_whole(problem, "bundle")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in sorted(_files(problem, seed)):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            runs = name in {"setup.sh", "run_autograder"}
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            zipped.writestr(entry, content)
    return archive.getvalue()


def _files(problem: Problem, seed: int) -> Iterator[tuple[str, bytes]]:
    for name in ("setup.sh", "run_autograder"):
        yield name, (HERE / name).read_bytes()
    yield "settings", f"slug={problem.slug}\nseed={seed}\n".encode()
    yield "requirements.txt", "".join(f"{line}\n" for line in requirements()).encode()
    yield (
        "ungraded.json",
        gradescope.unavailable("the judge left no results; see the output of the autograder").encode(),
    )
    yield "nothing.json", _nothing(problem).encode()
    for file in _below(PACKAGE):
        if file.suffix in SUFFIXES:
            yield f"judge/{file.relative_to(PACKAGE)}", file.read_bytes()
    for file in _below(problem.folder):
        yield f"problems/{problem.slug}/{file.relative_to(problem.folder)}", file.read_bytes()


def _below(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        if file.is_file() and not LEFT_OUT & set(file.relative_to(folder).parts):
            yield file


def _nothing(problem: Problem) -> str:
    """The result of a hand-in that has no file to grade: this one is the student's, and is a score of zero."""
    told = f"There is no file to grade. Hand in one Python file, and name it {problem.slug}.py."
    most = sum(problem.spec.points.model_dump().values())
    test = {"name": problem.slug, "number": "1", "score": 0.0, "max_score": most, "status": "failed", "output": told}
    content = {"score": 0.0, "output": told, "output_format": "text", "visibility": "visible", "tests": [test]}
    return json.dumps(content, indent=1) + "\n"


def requirements() -> list[str]:
    """What the judge needs, each pinned to the version that is installed here."""
    lines = []
    for line in _declared():
        requirement, _, marker = line.partition(";")
        found = NAME.match(requirement.strip())
        if "extra" in marker or found is None:
            continue
        try:
            pinned = f"{found[0]}=={metadata.version(found[0])}"
        except metadata.PackageNotFoundError:
            # A library of another system: it stays as it was declared.
            pinned = requirement.strip()
        lines.append(f"{pinned} ;{marker}" if marker else pinned)
    return lines


def _declared() -> list[str]:
    try:
        return metadata.requires("jax-judge") or []
    except metadata.PackageNotFoundError:
        project = PACKAGE.parent / "pyproject.toml"
        try:
            return list(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"])
        except (OSError, KeyError) as error:
            raise JudgeFault(
                f"{project}: what the judge depends on cannot be read ({error}); install the judge with pip"
            ) from error
