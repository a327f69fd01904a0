"""What students get of a problem, and what they must not."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from judge.authoring import handout
from judge.errors import FaultyFile, UsageError
from judge.load.problems import load_problem
from judge.model.problem import Problem
from tests.support import tiny_problem as tiny
from tests.support.tiny_problem import SLUG, write_problem

#: Stands in every place of the problem that students must not see, and nowhere else.
HIDDEN = "7351.625"
MARK = "planted-secret"


def planted(root: Path, *, private: bool = False) -> Problem:
    """The tiny problem with a recognisable number or word in everything that is not for students."""
    folder = write_problem(root)
    yaml = tiny.PROBLEM.replace("scale: -1.0}", f"scale: -{HIDDEN}}}  # {MARK}")
    # Means 2, 2, 5.5 and sums 6, 15 of the hidden case, scaled.
    yaml = yaml.replace("mean: [-2, -3, -5.5]", "mean: [-14703.25, -22054.875, -40433.9375]")
    yaml = yaml.replace("rows: [-6, -15]}", "rows: [-44109.75, -110274.375]}")
    yaml = yaml.replace("category: a negative scale", f"category: {MARK} category").replace(
        "name: negative", f"name: {MARK}"
    )
    if private:
        yaml = yaml.replace("devices: 2", "devices: 2\noracle: private", 1)
        oracle = folder / "oracle.py"
        oracle.write_text(f"{tiny.ORACLE}\nSECRET = '{MARK}'\n")
    (folder / "problem.yaml").write_text(yaml)
    (folder / "mistakes.py").write_text(f"{tiny.MISTAKES}\nSECRET = '{MARK}'\n")
    (folder / "solutions/accepted/right.py").write_text(f"{tiny.RIGHT}\nSECRET = '{MARK}'\n")
    (folder / "notes.txt").write_text(MARK)
    return load_problem(folder)


@pytest.mark.parametrize("private", [False, True])
def test_no_hidden_case_mistake_solution_or_comment_gets_in(tmp_path: Path, private: bool) -> None:
    problem = planted(tmp_path, private=private)
    whole = b"".join(file.read_bytes() for file in problem.folder.rglob("*") if file.is_file())
    bundle = handout.files(problem)
    content = b"".join([*bundle.values(), *(name.encode() for name in bundle)])
    for secret in (HIDDEN, MARK, "14703", "44109", "110274", "zero-scale", "Your mean is", "lax.pmean"):
        assert secret.encode() in whole, f"{secret} was not planted"
        assert secret.encode() not in content, f"{secret} is in the bundle"
    names = {"problem.yaml", "statement.md", "starter.py"} | (set() if private else {"oracle.py"})
    assert set(bundle) == {f"problems/{SLUG}/{name}" for name in names}


@pytest.mark.parametrize("private", [False, True])
def test_the_bundle_loads_with_examples_ranges_and_relations(tmp_path: Path, private: bool) -> None:
    problem = planted(tmp_path / "graders", private=private)
    handout.write(handout.files(problem), tmp_path / "students")
    found = load_problem(tmp_path / "students" / "problems" / SLUG)
    assert [case.name for case in found.spec.cases] == ["by-hand", "one-column"]
    assert found.spec.fuzz == problem.spec.fuzz and found.spec.relations == problem.spec.relations
    assert found.spec.points.hidden == 0 and (found.spec.points.fuzzed == 0) == private
    assert found.examples_only == private
    assert found.statement == problem.statement
    assert all((case.within is not None) == private for case in found.spec.cases)


def test_what_a_private_oracle_says_is_kept_with_its_tolerance(tmp_path: Path) -> None:
    handout.write(handout.files(planted(tmp_path / "graders", private=True)), tmp_path / "b")
    case = load_problem(tmp_path / "b" / "problems" / SLUG).spec.cases[0]
    assert case.outputs == {"mean": [2.0, 3.0], "rows": [1.5, 3.5, 5.5, 9.5]}
    assert case.within is not None
    assert all(1e-6 < one < 1e-4 for one in case.within["mean"])


def test_a_zip_holds_the_same_and_is_the_same_every_time(tmp_path: Path) -> None:
    bundle = handout.files(planted(tmp_path))
    for name in ("one.zip", "two.ZIP"):
        handout.write(bundle, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.ZIP").read_bytes()
    with zipfile.ZipFile(io.BytesIO((tmp_path / "one.zip").read_bytes())) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == bundle


def test_nothing_is_written_over(tmp_path: Path) -> None:
    bundle = handout.files(planted(tmp_path / "graders"))
    for place in (tmp_path / "b.zip", tmp_path / "folder"):
        handout.write(bundle, place)
        with pytest.raises(UsageError, match="is left as it is; name another place with --to"):
            handout.write(bundle, place)
    with pytest.raises(UsageError, match="cannot be written"):
        handout.write(bundle, tmp_path / "no" / "such" / "b.zip")


def test_a_bundle_of_a_bundle_is_refused(tmp_path: Path) -> None:
    handout.write(handout.files(planted(tmp_path / "graders")), tmp_path / "b")
    with pytest.raises(UsageError, match="is a student's bundle"):
        handout.files(load_problem(tmp_path / "b" / "problems" / SLUG))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("visible: true", "category: c", "a student's bundle has the hidden case by-hand"),
        ("within: ", "# ", "has no `within`, and there is no oracle"),
        ("bundle: student", "bundle: none", "oracle.py: the file is missing"),
    ],
)
def test_a_bundle_that_was_tampered_with_is_faulty(tmp_path: Path, old: str, new: str, told: str) -> None:
    handout.write(handout.files(planted(tmp_path / "graders", private=True)), tmp_path / "b")
    file = tmp_path / "b" / "problems" / SLUG / "problem.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(FaultyFile, match=told):
        load_problem(file.parent)
