"""Whose a file is and what for, by its path alone.

A layout is a pure function from the parts of a path; `LAYOUTS` are asked in turn. Downloads of course systems come first:
what they write into names is unmistakable, while folders of any name could be a student's.

    Canvas             <name>[_LATE]_<user id>_<file id>_<file>          all in one folder
    Moodle             <full name>_<number>_assignsubmission_file/<file> one folder a student, or the same before the file's name
    GitHub Classroom   <assignment>-submissions/<assignment>-<user>/...  a checkout a student
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

#: 2026-11-30_23-59-10, 20261130T235910 and the like, as downloads put them into names.
TIMESTAMP = re.compile(r"(20\d\d)-?(\d\d)-?(\d\d)[T_ -](\d\d)[-:.]?(\d\d)[-:.]?(\d\d)?")
#: What a browser appends to a second download of the same name.
AGAIN = re.compile(r"\s*\(\d+\)$")
#: What Canvas appends to a file that was handed in again under the same name.
AGAIN_CANVAS = re.compile(r"-\d+$")
#: Names of files that say neither whose nor what they are.
NAMELESS = frozenset({"solution", "solve", "main", "submission", "answer", "notebook", "code", "untitled"})

#: Who is anonymous has no name before the id; a name begins with a letter, which a date in a file's name does not.
CANVAS = re.compile(
    r"(?:(?P<name>[^\W\d]\w*?)_(?P<late>LATE_)?(?P<id>\d+)|(?P<late_too>LATE_)?(?P<anonymous>anon_[^\W_]+))"
    r"_\d+_(?P<rest>.+)",
    re.DOTALL,
)
MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?:file|onlinetext)(?:_(?P<rest>.*))?", re.DOTALL)
#: The folder that `gh classroom clone student-repos` makes.
CLASSROOM = "-submissions"


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a file belongs.

    Attributes:
        student: the id that the path gives.
        slug: the problem; "" where the path does not say.
        certain: the file's own name, or one that says nothing, led to the problem. Other files of the same student that only
            lie near it must not be taken for newer ones.
        known_as: other names under which a list of students may have the same one.
        late: whether the download marks it as late; None where it marks nothing.
        timed: whether its file may tell when it was handed in. In a download the name is the student's own and the time that
            of the download: taken for more, both would make the whole class late, or one student early.
    """

    student: str
    slug: str
    certain: bool = True
    known_as: tuple[str, ...] = ()
    late: bool | None = None
    timed: bool = True


#: From the name of the path that was given, the parts of a path below it, its suffix removed, and the slugs that exist.
Layout = Callable[[str, Sequence[str], Mapping[str, str]], "Placed | None"]


def plain_slug(name: str) -> str:
    """A slug whatever its case, with dashes or underscores, and without what downloads append: a time, a ` (1)`."""
    return AGAIN.sub("", TIMESTAMP.sub("", name)).strip("-_ .").lower().replace("_", "-")


def known_slug(name: str, slugs: Mapping[str, str]) -> str:
    """The slug that a name spells, also with the `-1` of a file handed in again; "" where it spells none."""
    plain = plain_slug(name)
    return slugs.get(plain) or slugs.get(AGAIN_CANVAS.sub("", plain)) or ""


def place(own: str, parts: Sequence[str], slugs: Mapping[str, str], only: str | None) -> Placed | None:
    """Whose a file is, and for which problem.

    Args:
        own: name of the folder or archive that was given.
        parts: of the file's path below that, the last without its suffix.
        slugs: those that exist, by their plain spelling.
        only: the problem that every file is for; None where paths tell.
    """
    for layout in LAYOUTS:
        placed = layout(own, parts, slugs)
        if placed is not None and (placed.slug or only is not None):
            return placed if placed.slug else _for(placed, only or "", parts)
    # A folder is the student's; so is a file's stem where there is no folder.
    return None if only is None else _for(Placed(parts[0], ""), only, parts)


def _for(placed: Placed, slug: str, parts: Sequence[str]) -> Placed:
    return replace(placed, slug=slug, certain=plain_slug(parts[-1]) in NAMELESS)


def _canvas(own: str, parts: Sequence[str], slugs: Mapping[str, str]) -> Placed | None:
    found = CANVAS.fullmatch(parts[-1])
    if found is None:
        return None
    slug, certain = _slug_of(own, [*parts[:-1], found["rest"]], slugs)
    if found["anonymous"]:
        return Placed(found["anonymous"], slug, certain, late=bool(found["late_too"]), timed=False)
    name, number = found["name"], found["id"]
    return Placed(f"{name}_{number}", slug, certain, (number, name), bool(found["late"]), timed=False)


def _moodle(own: str, parts: Sequence[str], slugs: Mapping[str, str]) -> Placed | None:
    for depth, part in enumerate(parts):
        found = MOODLE.fullmatch(part)
        if found is None:
            continue
        inner = [found["rest"]] if depth == len(parts) - 1 and found["rest"] else parts[depth + 1 :]
        if not inner:
            continue
        slug, certain = _slug_of(own, [*parts[:depth], *inner], slugs)
        name, number = found["name"], found["id"]
        student = f"{name}_{number}" if number else name
        return Placed(student, slug, certain, (number, name) if number else (), timed=False)
    return None


def _classroom(own: str, parts: Sequence[str], slugs: Mapping[str, str]) -> Placed | None:
    whole = [own, *parts]
    for depth, (outer, repository) in enumerate(pairwise(whole[:-1])):
        assignment = outer.removesuffix(CLASSROOM)
        user = repository.removeprefix(f"{assignment}-")
        if assignment == outer or user == repository or not user:
            continue
        slug, certain = _slug_of(assignment, whole[depth + 2 :], slugs)
        return Placed(user, slug, certain, timed=False)
    # Checkouts in a folder of another name, or in none: the assignment is a problem's slug.
    plain = plain_slug(parts[0])
    slug = max((one for one in slugs if plain.startswith(f"{one}-")), key=len, default="")
    if not slug or plain in slugs or len(parts) < 2:
        return None
    inner, certain = _slug_of(slug, parts[1:], slugs)
    return Placed(parts[0].strip("-_ .")[len(slug) + 1 :] or parts[0], inner, certain, timed=False)


def _slug_of(own: str, inner: Sequence[str], slugs: Mapping[str, str]) -> tuple[str, bool]:
    """The problem that the file, else the innermost folder, else `own` is named after, and whether that is certain."""
    *folders, stem = inner
    slug = known_slug(stem, slugs)
    if slug:
        return slug, True
    for name in (*reversed(folders), own):
        # The archive of a download has the course before the assignment and a number behind it.
        slug = known_slug(name, slugs) or _within(name, slugs)
        if slug:
            return slug, plain_slug(AGAIN_CANVAS.sub("", stem)) in NAMELESS
    return "", False


def _within(name: str, slugs: Mapping[str, str]) -> str:
    """The one slug that stands whole within a longer name; "" where there is none, or two."""
    around = f"-{plain_slug(name).replace(' ', '-')}-"
    found = [slug for plain, slug in slugs.items() if f"-{plain}-" in around]
    return found[0] if len(found) == 1 else ""


def _student_folder(own: str, parts: Sequence[str], slugs: Mapping[str, str]) -> Placed | None:
    """`<student>/.../<slug>.py`, where the student's folder may be the one that was given."""
    slug = known_slug(parts[-1], slugs)
    if not slug:
        return None
    return Placed(parts[0] if len(parts) >= 2 else own, slug)


def _problem_folder(own: str, parts: Sequence[str], slugs: Mapping[str, str]) -> Placed | None:
    """`<slug>/<student>.py` or `<slug>/<student>/...`, and `<student>/<slug>/solution.py` where the file says nothing."""
    for whole in (parts, [own, *parts]):
        for depth, part in enumerate(whole[:-1]):
            slug = slugs.get(plain_slug(part))
            if not slug:
                continue
            inner = whole[depth + 1]
            nameless = plain_slug(whole[-1]) in NAMELESS
            if depth > 0 and depth + 2 == len(whole) and nameless:
                return Placed(whole[depth - 1], slug)
            return Placed(inner, slug, depth + 2 == len(whole) or nameless)
    return None


LAYOUTS: tuple[Layout, ...] = (_canvas, _moodle, _classroom, _student_folder, _problem_folder)
