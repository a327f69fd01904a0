"""A submission: bytes that somebody handed in, and where they were found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HandedIn:
    """When something was handed in, as far as its file tells.

    Attributes:
        stamp: the wall-clock time in its name as `YYYY-MM-DDTHH:MM:SS`, without a zone; "" where there is none.
        file_s: the time of the file in seconds since 1970; None where it says nothing, as in a git checkout.
        marked_late: whether the download marks it as late, without saying by how much; None where it marks nothing.
    """

    stamp: str = ""
    file_s: float | None = None
    marked_late: bool | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """One file for one problem. Its content is bytes and never imported on this side.

    Attributes:
        student: the id it is graded under.
        problem: slug of a problem that exists.
        file: where it was found; below an archive, the archive's path with that of the entry.
        source: its bytes; empty when `fault` or `unreadable` is set.
        sha256: of `source`, in hexadecimal.
        fault: a sentence when the content cannot be a submission (`load_error`), else "".
        unreadable: a sentence when the machine would not let it be read (`ungraded`), else "".
        notes: what a grader should know, such as that an older file was passed over.
        handed_in: when.
    """

    student: str
    problem: str
    file: Path
    source: bytes
    sha256: str
    fault: str = ""
    unreadable: str = ""
    notes: tuple[str, ...] = ()
    handed_in: HandedIn = HandedIn()
