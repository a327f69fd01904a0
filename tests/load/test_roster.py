"""Lists of students as they are downloaded, and what is said of those that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.errors import FaultyFile
from judge.load.roster import read_roster
from judge.load.submissions import find_submissions
from judge.model.roster import Roster


def roster(place: Path, text: str) -> Roster:
    file = place / "roster.csv"
    file.write_text(text, encoding="utf-8")
    return read_roster(file)


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,jit-step (99),Final Score\n"
    "    Points Possible,,,,,100,(read only)\n"
    '"Lovelace, Ada",12345,u77,al12,A,,\n'
    '"Student, Test",999,,test,A,,\n'
)
MOODLE = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade\n"
    "Participant 1234567,Ada Lovelace,al12@example.org,Submitted,-,100.00\n"
)
CLASSROOM = '"identifier","github_username","github_id","name"\n"al12","ada-l","4711","Ada Lovelace"\n'


@pytest.mark.parametrize(
    ("text", "student", "known_as"),
    [
        ("student\nal12\n", "al12", ["al12", "AL12"]),
        ("id;name\nal12;Lovelace, Ada\n", "al12", ["Ada  Lovelace", "lovelaceada"]),
        (CANVAS, "al12", ["12345", "u77", "lovelaceada", "Ada Lovelace"]),
        (MOODLE, "al12@example.org", ["1234567", "ada lovelace"]),
        (CLASSROOM, "al12", ["ada-l", "4711", "Ada Lovelace"]),
        ("First name,Surname,Username,Groups\nAda,Lovelace,al12,A\n", "al12", ["lovelaceada", "Lovelace, Ada"]),
    ],
)
def test_a_student_is_known_by_every_name_that_a_download_may_give(
    tmp_path: Path, text: str, student: str, known_as: list[str]
) -> None:
    found = roster(tmp_path, text)
    assert list(found.students) == [student]
    assert {found.find(name) for name in known_as} == {student}
    assert found.find("somebody") is None


def test_a_name_that_two_students_share_is_nobodys(tmp_path: Path) -> None:
    found = roster(tmp_path, "id,name\n1,Ada Lovelace\n2,Ada Lovelace\n3,Bob\n")
    assert found.find("Ada Lovelace") is None
    assert found.find("Ada Lovelace", "2") == "2"
    assert found.find("bob") == "3"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "student,shoe size\nal12,7\n",
            "roster.csv:1: 'shoe size' is not a known column; remove it; known are student,",
        ),
        ("studnet\nal12\n", "roster.csv:1: 'studnet' is not a known column; did you mean 'student'?"),
        ("name\nAda\n", "roster.csv:1: no column says who is who"),
        ("id,name\n1,Ada\n,Bob\n", "roster.csv:3: nobody is named on this line"),
        ("id,name\n1,Ada\n2,Bob\n1,Cy\n", "roster.csv:4: '1' is listed twice, first on line 2"),
        ("id,name\n1,Ada\n2,Lovelace, Ada\n", "roster.csv:3: 3 fields, and the first line has 2"),
        ("id,name\n", "roster.csv:1: there is no student in this list"),
        ('id\n"1\n', "this is no CSV"),
        ("", "roster.csv:1: no column says who is who"),
    ],
)
def test_a_fault_has_its_line_and_a_remedy(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(FaultyFile) as error:
        roster(tmp_path, text)
    assert fault in str(error.value)


def test_every_fault_is_found_at_once(tmp_path: Path) -> None:
    with pytest.raises(FaultyFile, match="has 2 faults"):
        roster(tmp_path, "id,name\n1,Ada\n,Bob\n1,Cy\n")


@given(st.text(max_size=200))
def test_any_text_is_a_roster_or_a_fault(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.csv"
    file.write_text(text, encoding="utf-8", errors="replace")
    try:
        assert read_roster(file).students
    except FaultyFile as error:
        assert error.faults


def test_submissions_are_graded_under_the_ids_of_the_roster_and_strangers_are_named(tmp_path: Path) -> None:
    for name in ("lovelaceada_12345_678901_jit-step.py", "zed_1_22_jit-step.py"):
        place = tmp_path / "class" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("def solve(x):\n    return x\n")
    found = find_submissions([tmp_path / "class"], ["jit-step"], problem=None, roster=roster(tmp_path, CANVAS))
    assert [one.student for one in found.submissions] == ["al12", "zed_1"]
    assert found.notes == [f"zed_1 is not in {tmp_path / 'roster.csv'}; graded under that name"]
