"""Paths -> submissions. What cannot be a submission is named and never skipped in silence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.load.layouts import TIMESTAMP, Placed, place, plain_slug
from judge.load.notebooks import NotUsable, source_of
from judge.load.trees import MAX_BYTES, Candidate, candidates
from judge.model.roster import Roster
from judge.model.submission import HandedIn, Submission


@dataclass(slots=True)
class Found:
    """Submissions, one a student and problem, and sentences about everything that is none.

    `only` is the slug of the one problem that was asked for, where it was one.
    """

    submissions: list[Submission] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    only: str | None = None


@dataclass(frozen=True, slots=True)
class _Hit:
    """A submission before it is known whether it is the one that counts: the one with the greatest age in this order."""

    submission: Submission
    age: tuple[bool, str, float, str]


def find_submissions(
    paths: Sequence[Path],
    slugs: Sequence[str],
    *,
    problem: str | None,
    roster: Roster | None = None,
    entry: Callable[[str], str] = lambda slug: "solve",
) -> Found:
    """Every submission below `paths`.

    Args:
        paths: files, archives, or folders that are looked through.
        slugs: the problems that exist.
        problem: slug of the problem that every file is for; None where the layout tells.
        roster: who is in the course; it turns what a path says into a student's id.
        entry: the function that a problem asks for, by slug; asked for notebooks, of which only what it needs is kept.
    """
    found = Found()
    known = {plain_slug(slug): slug for slug in slugs}
    only = known.get(plain_slug(problem)) if problem is not None else None
    if problem is not None and only is None:
        found.notes.append(f"there is no problem {problem!r}; there are: {', '.join(sorted(slugs)) or 'none'}")
        return found
    found.only = only
    hits = [hit for path in paths for hit in _below(path, known, only, roster, found, entry)]
    found.submissions = _newest(hits, found)
    if roster is not None:
        strangers = sorted({one.student for one in found.submissions} - set(roster.students))
        found.notes += [f"{student} is not in {roster.file}; graded under that name" for student in strangers]
    return found


def _below(
    path: Path,
    known: Mapping[str, str],
    only: str | None,
    roster: Roster | None,
    found: Found,
    entry: Callable[[str], str],
) -> Iterator[_Hit]:
    if not path.exists() and not path.is_symlink():
        found.notes.append(f"{path}: there is no such file or folder")
        return
    own, files = candidates(path, found.notes.append)
    for file in files:
        parts = [*file.parts[:-1], Path(file.parts[-1]).stem]
        placed = place(own, parts, known, only)
        if placed is None:
            how = f"name it <student>/<slug>.py, or say --problem ({', '.join(sorted(known.values()))})"
            found.notes.append(f"{file.file}: no problem of that name; {how}")
        elif only is not None and placed.slug != only:
            found.notes.append(f"{file.file}: this is for {placed.slug}, and --problem says {only}; passed over")
        else:
            age = (placed.certain, _stamp(file.file.name), file.modified_s or 0.0, str(file.file))
            yield _Hit(_read(file, placed, roster, entry), age)


def _read(file: Candidate, placed: Placed, roster: Roster | None, entry: Callable[[str], str]) -> Submission:
    source, fault, unreadable = b"", "", ""
    try:
        content = file.read()
        notebook = file.file.suffix.lower() == ".ipynb"
        source = source_of(content, entry=entry(placed.slug)) if notebook else _usable(content)
    except NotUsable as error:
        fault = str(error)
    except OSError as error:
        unreadable = f"the file cannot be read ({error.strerror}); mend that and grade again"
    student = None if roster is None else roster.find(placed.student, *placed.known_as)
    return Submission(
        student=placed.student if student is None else student,
        problem=placed.slug,
        file=file.file,
        source=source,
        sha256=hashlib.sha256(source).hexdigest(),
        fault=fault,
        unreadable=unreadable,
        notes=("the download marks it as late",) if placed.late else (),
        handed_in=HandedIn(_stamp(file.file.name), file.modified_s, placed.late)
        if placed.timed
        else HandedIn(marked_late=placed.late),
    )


def _stamp(name: str) -> str:
    found = TIMESTAMP.search(name)
    if found is None:
        return ""
    year, month, day, hour, minute, second = (part or "00" for part in found.groups())
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}"


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


def _newest(hits: Sequence[_Hit], found: Found) -> list[Submission]:
    """One submission a student and problem: one that is named for it, and of those the newest: by a time in the name, then
    the file's, then the name."""
    groups: dict[tuple[str, str], dict[Path, _Hit]] = {}
    for hit in hits:
        group = groups.setdefault((hit.submission.student, hit.submission.problem), {})
        group.setdefault(hit.submission.file.absolute(), hit)
    chosen = []
    for (student, slug), group in groups.items():
        *older, best = sorted(group.values(), key=lambda hit: hit.age)
        newest = best.submission
        if older:
            names = ", ".join(str(one.submission.file) for one in older)
            why = "is the newest" if best.age[0] == older[-1].age[0] else "is named for it"
            note = f"{len(group)} files for {slug}: {newest.file} {why} and counts; passed over: {names}"
            found.notes.append(f"{student}: {note}")
            newest = replace(newest, notes=(*newest.notes, note))
        chosen.append(newest)
    return chosen
