"""Paths -> submissions. What cannot be a submission is named and never skipped in silence.

A layout is a pure function from the parts of a path to (student, slug): see `LAYOUTS`. Contents are opened without following
links and without blocking, and judged by what the opened file is, not by what its name said a moment before.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.load.notebooks import MAX_NOTEBOOK_BYTES, NotUsable, source_of
from judge.model.submission import Submission

MAX_BYTES = 256 * 1024
SUFFIXES = frozenset({".py", ".ipynb"})
IGNORED = frozenset({"__pycache__", "node_modules", "__MACOSX"})
#: 2026-11-30_23-59-10, 20261130T235910 and the like, as downloads put them into names.
TIMESTAMP = re.compile(r"(20\d\d)-?(\d\d)-?(\d\d)[T_ -](\d\d)[-:.]?(\d\d)[-:.]?(\d\d)?")

#: What a browser appends to a second download of the same name.
AGAIN = re.compile(r"\s*\(\d+\)$")
#: Names of files that say neither whose nor what they are.
NAMELESS = frozenset({"solution", "solve", "main", "submission", "answer", "notebook", "code", "untitled"})

#: (student, slug) from the parts of a path below the one given, its suffix removed, and the slugs that exist.
Layout = Callable[[Sequence[str], Mapping[str, str]], "tuple[str, str] | None"]


@dataclass(slots=True)
class Found:
    """Submissions, one a student and problem, and sentences about everything that is none."""

    submissions: list[Submission] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _student_folder(parts: Sequence[str], slugs: Mapping[str, str]) -> tuple[str, str] | None:
    """`<student>/.../<slug>.py`"""
    slug = slugs.get(plain_slug(parts[-1]))
    return (parts[0], slug) if slug and len(parts) >= 2 else None


def _problem_folder(parts: Sequence[str], slugs: Mapping[str, str]) -> tuple[str, str] | None:
    """`<slug>/<student>.py` or `<slug>/<student>/...`, and `<student>/<slug>/solution.py` where the file says nothing."""
    for place, part in enumerate(parts[:-1]):
        slug = slugs.get(plain_slug(part))
        if not slug:
            continue
        inner = parts[place + 1]
        if place > 0 and place + 2 == len(parts) and plain_slug(inner) in NAMELESS:
            return (parts[place - 1], slug)
        return (inner, slug)
    return None


LAYOUTS: tuple[Layout, ...] = (_student_folder, _problem_folder)


def plain_slug(name: str) -> str:
    """A slug whatever its case, with dashes or underscores, and without what downloads append: a time, a ` (1)`."""
    return AGAIN.sub("", TIMESTAMP.sub("", name)).strip("-_ .").lower().replace("_", "-")


def find_submissions(
    paths: Sequence[Path],
    slugs: Sequence[str],
    *,
    problem: str | None,
    entry: Callable[[str], str] = lambda slug: "solve",
) -> Found:
    """Every submission below `paths`.

    Args:
        paths: files, or folders that are looked through.
        slugs: the problems that exist.
        problem: slug of the problem that every file is for; None where the layout tells.
        entry: the function that a problem asks for, by slug; asked for notebooks, of which only what it needs is kept.
    """
    found = Found()
    known = {plain_slug(slug): slug for slug in slugs}
    only = known.get(plain_slug(problem)) if problem is not None else None
    if problem is not None and only is None:
        found.notes.append(f"there is no problem {problem!r}; there are: {', '.join(sorted(slugs)) or 'none'}")
        return found
    candidates: list[Submission] = []
    for path in paths:
        candidates += _below(path, known, only, found, entry)
    found.submissions = _newest(candidates, found)
    return found


def _below(
    path: Path, known: Mapping[str, str], only: str | None, found: Found, entry: Callable[[str], str]
) -> Iterator[Submission]:
    if not path.exists() and not path.is_symlink():
        found.notes.append(f"{path}: there is no such file or folder")
        return
    whole = path.is_dir() and not path.is_symlink()
    files = list(_files(path, found)) if whole else [path]
    if whole:
        found.notes += _empty(path, files)
    own = [path.resolve().name] if whole else [path.resolve().parent.name]
    for file in files:
        parts = list(file.relative_to(path).parts) if whole else [file.name]
        parts[-1] = Path(parts[-1]).stem
        placed = _placed(parts, own, known, only)
        if placed is None:
            how = f"name it <student>/<slug>.py, or say --problem ({', '.join(sorted(known.values()))})"
            found.notes.append(f"{file}: no problem of that name; {how}")
        elif only is not None and placed[1] != only:
            found.notes.append(f"{file}: this is for {placed[1]}, and --problem says {only}; passed over")
        else:
            yield _read(placed[0], placed[1], file, entry)


def _placed(
    parts: Sequence[str], own: Sequence[str], known: Mapping[str, str], only: str | None
) -> tuple[str, str] | None:
    """By the layouts; then by them again with the name of PATH itself before the parts; then as `only` has it."""
    for some in (parts, [*own, *parts]):
        for layout in LAYOUTS:
            placed = layout(some, known)
            if placed is not None:
                return placed
    # A folder is the student's; so is a file's stem where there is no folder.
    return (parts[0], only) if only is not None else None


def _empty(path: Path, files: Sequence[Path]) -> list[str]:
    """What to say of folders directly below `path` without a file that could be a submission, and of `path` itself."""
    if not files:
        return [f"{path}: no .py or .ipynb file in this folder"]
    filled = {file.relative_to(path).parts[0] for file in files}
    inner = (entry for entry in sorted(path.iterdir()) if entry.is_dir() and not entry.is_symlink())
    return [
        f"{entry}: no .py or .ipynb file in this folder"
        for entry in inner
        if entry.name not in filled | IGNORED and not entry.name.startswith(".")
    ]


def _files(folder: Path, found: Found) -> Iterator[Path]:
    """Files that may be submissions, by name; links and special files included, since they are answered for."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.notes.append(f"{folder}: cannot be read ({error.strerror}); its submissions are not graded")
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith(".") or entry.name in IGNORED:
            continue
        if path.suffix.lower() in SUFFIXES:
            yield path
        elif entry.is_dir(follow_symlinks=False):
            yield from _files(path, found)


def _read(student: str, slug: str, file: Path, entry: Callable[[str], str]) -> Submission:
    source, fault, unreadable = b"", "", ""
    try:
        source = _content(file, lambda: entry(slug))
    except NotUsable as error:
        fault = str(error)
    except OSError as error:
        unreadable = f"the file cannot be read ({error.strerror}); mend that and grade again"
    return Submission(student, slug, file, source, hashlib.sha256(source).hexdigest(), fault, unreadable)


def _content(file: Path, entry: Callable[[], str]) -> bytes:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotUsable("the file is a link; hand in the file itself.") from None
        if error.errno == errno.ENXIO:
            raise NotUsable("the file is no ordinary file; hand in a Python file.") from None
        raise
    # Looked at first: `fdopen` refuses a folder, as though the machine could not read it.
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(kind) else "no ordinary file"
        raise NotUsable(f"the file is {what}; hand in a Python file.")
    with os.fdopen(descriptor, "rb") as opened:
        notebook = file.suffix.lower() == ".ipynb"
        source = opened.read((MAX_NOTEBOOK_BYTES if notebook else MAX_BYTES) + 1)
    return source_of(source, entry=entry()) if notebook else _usable(source)


def _usable(source: bytes) -> bytes:
    if len(source) > MAX_BYTES:
        raise NotUsable(f"the file is larger than {MAX_BYTES // 1024} KiB; hand in the solution alone.")
    if not source.strip():
        raise NotUsable("the file is empty.")
    if b"\0" in source:
        raise NotUsable("the file holds NUL bytes; save it as plain UTF-8 text.")
    try:
        source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise NotUsable(
            f"the file is not UTF-8 (line {line}, byte {source[error.start]:#04x}); save it as UTF-8."
        ) from None
    return source


def _newest(candidates: Sequence[Submission], found: Found) -> list[Submission]:
    """One submission a student and problem: by a timestamp in the name, then the file's time, then the name."""
    groups: dict[tuple[str, str], list[Submission]] = {}
    for one in candidates:
        group = groups.setdefault((one.student, one.problem), [])
        if all(other.file.absolute() != one.file.absolute() for other in group):
            group.append(one)
    chosen = []
    for (student, slug), group in groups.items():
        *older, newest = sorted(group, key=_age)
        if older:
            names = ", ".join(str(one.file) for one in older)
            note = f"{len(group)} files for {slug}: {newest.file} is the newest and counts; passed over: {names}"
            found.notes.append(f"{student}: {note}")
            newest = replace(newest, notes=(*newest.notes, note))
        chosen.append(newest)
    return chosen


def _age(one: Submission) -> tuple[str, float, str]:
    stamp = TIMESTAMP.search(one.file.name)
    try:
        changed = one.file.lstat().st_mtime
    except OSError:
        changed = 0.0
    return ("".join(part or "00" for part in stamp.groups()) if stamp else "", changed, str(one.file))
