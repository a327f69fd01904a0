"""`judge report`: results that are there in another format, and what is written where there are none."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from judge import store
from judge.cli import main
from judge.model.record import GroupScore
from judge.reports.formats import FORMATS
from tests.reports.schemas import SCHEMAS
from tests.support.results import accepted, record, ungraded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    content = store.results(7, {"judge": "1"}, [record(), accepted(student="bob"), ungraded(student="eve")])
    (tmp_path / "results.json").write_text(json.dumps(content))
    return tmp_path


def test_a_format_of_the_class_goes_to_standard_output(folder: Path) -> None:
    result = CliRunner().invoke(main, ["report", str(folder), "--format", "canvas"])
    assert result.exit_code == 0
    assert result.stdout.startswith("Student,ID,")


def test_a_format_of_a_student_goes_to_a_folder_or_asks_which(folder: Path) -> None:
    command = ["report", str(folder), "--format", "gradescope"]
    asked = CliRunner().invoke(main, command)
    assert asked.exit_code == 2 and "--student" in asked.stderr
    place = folder / "gradescope"
    place.mkdir()
    assert CliRunner().invoke(main, [*command, "--to", str(place)]).exit_code == 0
    assert sorted(file.name for file in place.iterdir()) == ["ada.json", "bob.json", "eve.json"]
    one = CliRunner().invoke(main, [*command, "--student", "bob"])
    assert json.loads(one.stdout)["score"] == 100.0


@pytest.mark.parametrize("broken", [None, "", "{", "[]", '{"version": 2, "results": []}', '{"version": 1}'])
@pytest.mark.parametrize("name", ["gradescope", "prairielearn", "check50"])
def test_without_results_a_course_system_gets_a_valid_file_without_points(
    tmp_path: Path, name: str, broken: str | None
) -> None:
    if broken is not None:
        (tmp_path / "results.json").write_text(broken)
    place = tmp_path / "out" / "results.json"
    result = CliRunner().invoke(main, ["report", str(tmp_path), "--format", name, "--to", str(place)])
    assert result.exit_code == 3
    content = json.loads(place.read_text())
    assert "costs you no points" in json.dumps(content)
    assert content.get("score", 0) == 0 and content.get("gradable", False) is False


@pytest.mark.parametrize("name", ["gradescope", "prairielearn", "check50", "junit", "markdown"])
def test_a_judge_that_fails_while_it_writes_leaves_a_valid_file_that_says_so(tmp_path: Path, name: str) -> None:
    content = store.results(7, {}, [record()])
    # Nothing that the judge writes: whatever makes a format raise.
    content["results"][0] |= {"cases": ["x"], "groups": [dict.fromkeys(GroupScore.__slots__)], "reason": 5}
    (tmp_path / "results.json").write_text(json.dumps(content))
    place = tmp_path / "report"
    result = CliRunner().invoke(main, ["report", str(tmp_path), "--format", name, "--to", str(place)])
    assert result.exit_code == 3, result.output
    text = place.read_text()
    assert "costs you no points" in " ".join(text.split())
    if FORMATS[name].suffix == ".json":
        assert Draft202012Validator(SCHEMAS[name]).is_valid(json.loads(text))
    if name == "junit":
        assert [one.tag for one in ET.fromstring(text).iter("error")] == ["error"]


def test_without_results_the_other_formats_are_an_error_that_says_what_to_name(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["report", str(tmp_path), "--format", "html"])
    assert result.exit_code == 2 and "--out" in result.stderr


@pytest.mark.parametrize(("metadata", "score"), [('{"previous_submissions": [{"score": 60}]}', 60.0), ("no JSON", 0.0)])
def test_what_is_ungraded_keeps_the_score_of_the_metadata(folder: Path, metadata: str, score: float) -> None:
    place = folder / "submission_metadata.json"
    place.write_text(metadata)
    command = ["report", str(folder), "--format", "gradescope", "--student", "eve", "--metadata", str(place)]
    assert json.loads(CliRunner().invoke(main, command).stdout)["score"] == score


def test_without_a_format_every_report_is_written_again_and_the_results_stay(folder: Path) -> None:
    before = (folder / "results.json").read_bytes()
    assert CliRunner().invoke(main, ["report", str(folder)]).exit_code == 0
    assert {"grades.csv", "report.html", "junit.xml", "feedback"} <= {file.name for file in folder.iterdir()}
    assert (folder / "results.json").read_bytes() == before
    first = (folder / "junit.xml").read_bytes()
    assert CliRunner().invoke(main, ["report", str(folder)]).exit_code == 0
    assert (folder / "junit.xml").read_bytes() == first
