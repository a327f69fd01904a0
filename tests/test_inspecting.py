"""`judge inspect` as a student types it, and the line with which `judge check` ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import tiny_problem as tiny
from tests.support.command import command
from tests.support.tiny_problem import SLUG, write_problem

INPUTS = {"x": [[1, 2], [3, 4], [5, 6], [7, 12]], "scale": 2.0}
INTERMEDIATES = """

def intermediates(x, scale):
    parts = np.asarray(x, dtype=np.float64).reshape(2, -1, x.shape[1])
    return {"local_mean": parts.mean(axis=1), "column_mean": np.broadcast_to(parts.mean(axis=(0, 1)), (2, x.shape[1]))}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = write_problem(tmp_path / "problems")
    (folder / "oracle.py").write_text(tiny.ORACLE + INTERMEDIATES)
    (tmp_path / f"{SLUG}.py").write_text(tiny.SUMMED)
    (tmp_path / "mine.json").write_text(json.dumps(INPUTS))
    return tmp_path


def test_the_first_example_is_shown_line_by_line_with_where_it_goes_wrong(here: Path) -> None:
    result = command("inspect", f"{SLUG}.py", cwd=here, env={"NO_COLOR": "1"})
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"{SLUG} on example-1, 2 devices"
    assert "split x float32[2,2], axis 0 over mesh axis i:" in result.stdout
    assert "psum of x.sum(axis=0) over i, devices 0 1" in result.stdout
    (fault,) = (line for line in lines if line.startswith("it goes wrong here"))
    assert fault == (
        'it goes wrong here: line 14: `scale * lax.psum(x.sum(axis=0), "i")` leads to the wrong `mean`: '
        "it is 4 times the reference's mean"
    )


def test_an_own_input_and_another_example_take_its_place(here: Path) -> None:
    own = command("inspect", f"{SLUG}.py", "--input", "mine.json", "--all", cwd=here)
    assert own.stdout.startswith(f"{SLUG} on mine.json, 2 devices\n")
    assert "scale" in own.stdout
    other = command("inspect", f"{SLUG}.py", "--case", "one-column", cwd=here)
    assert other.stdout.startswith(f"{SLUG} on example-2, 2 devices\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("--case", "hidden-negative"),
            "there is no example 'hidden-negative' of row-means; there are: example-1, example-2",
        ),
        (("--case", "example-1", "--input", "mine.json"), "--case and --input exclude each other"),
        (("--input", "none.json"), "none.json cannot be read"),
        (("--problem", "row-maens"), "there is no problem 'row-maens'"),
    ],
)
def test_what_cannot_be_inspected_is_told_in_one_line(here: Path, arguments: tuple[str, ...], told: str) -> None:
    result = command("inspect", f"{SLUG}.py", *arguments, cwd=here)
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("judge: ")
    assert told in line


@pytest.mark.long("grades two submissions")
def test_a_check_of_a_wrong_answer_ends_with_the_line_and_one_of_a_right_answer_does_not(here: Path) -> None:
    wrong = command("check", f"{SLUG}.py", "--seed", "3", cwd=here, env={"NO_COLOR": "1"})
    assert wrong.returncode == 1
    assert "\n\nit goes wrong here: line 14: " in wrong.stdout
    (here / f"{SLUG}.py").write_text(tiny.RIGHT)
    right = command("check", f"{SLUG}.py", "--seed", "3", cwd=here)
    assert right.returncode == 0
    assert "goes wrong" not in right.stdout
