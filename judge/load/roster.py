"""A CSV list of students -> `Roster`. Lists of Canvas, Moodle and GitHub Classroom are taken as they are downloaded."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from judge.errors import Fault, FaultyFile
from judge.load.document import read_text
from judge.model.roster import Roster, plain

#: Columns that identify a student, in the order in which they are asked for the id that reports use.
IDS = (
    *("student", "sis login id", "username", "identifier", "roster_identifier", "id number", "sis user id", "id"),
    *("email address", "email", "github_username"),
)
#: Other names of the same student.
ALSO = ("github_id", "integration id")
NAMES = ("name", "full name", "first name", "last name", "surname", "student name")
#: Columns of downloads that say nothing about who somebody is.
OTHER = frozenset(
    {
        *("section", "role", "roles", "group", "groups", "status", "institution", "department", "country"),
        *("last access to course", "grade", "maximum grade", "grade can be changed", "feedback comments"),
        *("last modified (submission)", "last modified (grade)", "assignment_name", "assignment_url"),
        *("starter_code_url", "student_repository_name", "student_repository_url", "submission_timestamp"),
        *("points_awarded", "points_available"),
    }
)
#: How Moodle numbers the people of an assignment, with the number that its downloads have.
PARTICIPANT = re.compile(r"participant (\d+)", re.IGNORECASE)
#: Rows of a Canvas gradebook that are no students.
NO_STUDENT = frozenset({"points possible", "student, test", "manual posting"})


def read_roster(file: Path) -> Roster:
    """The students of a list.

    Raises:
        FaultyFile: with every fault and its line.
    """
    text, fault = read_text(file)
    if text is None:
        assert fault is not None, "text or a fault"
        raise FaultyFile(f"the roster {file}", [fault])
    reader = _Reader(file)
    try:
        reader.read(text)
    except csv.Error as error:
        reader.fault(None, f"this is no CSV ({error})", "save it as CSV in UTF-8")
    if reader.faults:
        raise FaultyFile(f"the roster {file}", reader.faults)
    return Roster(file, reader.students, {name: one for name, one in reader.aliases.items() if one is not None})


class _Reader:
    """Rows to students. Goes on after a fault, so that one reading finds all of them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.students: dict[str, str] = {}
        #: None for a name that two students have.
        self.aliases: dict[str, str | None] = {}
        self._lines: dict[str, int] = {}

    def fault(self, line: int | None, message: str, remedy: str) -> None:
        self.faults.append(Fault(self.file, line, message, remedy))

    def read(self, text: str) -> None:
        first = text.split("\n", 1)[0]
        delimiter = max(",;\t", key=first.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = [plain(one) for one in next(rows, [])]
        columns = self._columns(header)
        if self.faults:
            return
        for row in rows:
            if not any(one.strip() for one in row):
                continue
            if len(row) != len(header):
                message = f"{len(row)} fields, and the first line has {len(header)}"
                self.fault(rows.line_num, message, "put a name with a comma into quotes")
                continue
            fields = {name: row[place].strip() for name, place in columns.items()}
            if plain(fields.get("student name", "")) not in NO_STUDENT:
                self._student(fields, rows.line_num)
        if not self.students and not self.faults:
            self.fault(1, "there is no student in this list", "add a line a student below the names of the columns")

    def _columns(self, header: list[str]) -> dict[str, int]:
        """Places of the columns by their names; every fault of the first line is noted."""
        canvas = "student" in header and {"id", "sis login id", "sis user id"} & set(header)
        if canvas:
            # There `student` is a name, and what follows the section are assignments.
            header = ["student name" if one == "student" else one for one in header]
            header = header[: header.index("section") + 1] if "section" in header else header
        known = {*IDS, *ALSO, *NAMES, *OTHER}
        for one in header:
            if one not in known:
                near = difflib.get_close_matches(one, sorted(known), n=1)
                remedy = (
                    f"did you mean {near[0]!r}?" if near else f"remove it; known are {', '.join((*IDS, *NAMES[:5]))}"
                )
                self.fault(1, f"{one!r} is not a known column", remedy)
        if not self.faults and not set(IDS) & set(header):
            self.fault(1, "no column says who is who", "name one of them `student`")
        return {one: place for place, one in enumerate(header) if one not in OTHER}

    def _student(self, fields: Mapping[str, str], line: int) -> None:
        ids = [fields[name] for name in IDS if fields.get(name)]
        numbers = [found[1] for one in ids if (found := PARTICIPANT.fullmatch(one))]
        ids = [one for one in ids if not PARTICIPANT.fullmatch(one)] or numbers
        if not ids:
            self.fault(line, "nobody is named on this line", f"fill in one of: {', '.join(set(IDS) & set(fields))}")
            return
        student = ids[0]
        if student in self._lines:
            message = f"{student!r} is listed twice, first on line {self._lines[student]}"
            self.fault(line, message, "keep one of the two")
            return
        self._lines[student] = line
        names = list(_names(fields))
        self.students[student] = names[0] if names else ""
        also = [fields[name] for name in ALSO if fields.get(name)]
        for alias in {plain(one) for one in (*ids, *numbers, *also, *names)}:
            self.aliases[alias] = student if self.aliases.get(alias, student) == student else None


def _names(fields: Mapping[str, str]) -> Iterator[str]:
    """The full name, first as it is read aloud, then in the other order, and as Canvas squeezes it into names of files."""
    last = fields.get("last name") or fields.get("surname") or ""
    first = fields.get("first name", "")
    whole = fields.get("name") or fields.get("full name") or fields.get("student name") or f"{first} {last}".strip()
    if not last and whole.count(",") == 1:
        last, first = (part.strip() for part in whole.split(","))
    elif not last and " " in whole:
        first, last = whole.rsplit(" ", 1)
    if whole:
        yield f"{first} {last}" if first and last else whole
        yield whole
    if first and last:
        yield f"{last}, {first}"
        yield re.sub(r"\W", "", f"{last}{first}")
