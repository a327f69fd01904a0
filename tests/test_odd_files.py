"""`judge grade` over files that are no ordinary submissions: one clear verdict each, and the rest goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import tiny_problem as tiny
from tests.support.command import command

RIGHT = tiny.RIGHT.encode()


def _huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(100 << 20)


def _to_itself(place: Path) -> None:
    place.symlink_to(place.name)


#: What lies at `<student>/row-means.py`, its verdict, and a part of the reason.
ODD: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "pipe": (os.mkfifo, "load_error", "no ordinary file"),
    "folder": (Path.mkdir, "load_error", "a folder"),
    "link-to-itself": (_to_itself, "load_error", "a link"),
    "link-outside": (lambda place: place.symlink_to("/etc/passwd"), "load_error", "a link"),
    "link-to-a-device": (lambda place: place.symlink_to("/dev/zero"), "load_error", "a link"),
    "link-to-nothing": (lambda place: place.symlink_to("nowhere.py"), "load_error", "a link"),
    "huge": (_huge, "load_error", "larger than 256 KiB"),
    "empty": (lambda place: place.write_bytes(b""), "load_error", "empty"),
    "nul": (lambda place: place.write_bytes(RIGHT + b"\0"), "load_error", "NUL"),
    "not-utf-8": (lambda place: place.write_bytes(b"# \xff\n" + RIGHT), "load_error", "not UTF-8 (line 1, byte 0xff)"),
    "bom-and-crlf": (
        lambda place: place.write_bytes(b"\xef\xbb\xbf" + RIGHT.replace(b"\n", b"\r\n")),
        "accepted",
        "right",
    ),
    "line\nbreak \x1b[31m": (lambda place: place.write_bytes(RIGHT), "accepted", "right"),
    "plain": (lambda place: place.write_bytes(RIGHT), "accepted", "right"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, dict[str, Any]], str, Path]:
    root = tmp_path_factory.mktemp("odd")
    tiny.write_problem(root / "problems")
    for student, (make, _, _) in ODD.items():
        place = root / "class" / student / f"{tiny.SLUG}.py"
        place.parent.mkdir(parents=True)
        make(place)
    ran = command("grade", "class", cwd=root)
    assert ran.returncode == 0, ran.stderr
    content = json.loads((root / "results" / "results.json").read_text())
    return {one["student"]: one for one in content["results"]}, ran.stdout + ran.stderr, root / "results"


@pytest.mark.parametrize("student", ODD)
def test_an_odd_file_gets_one_clear_verdict(graded: tuple[dict[str, dict[str, Any]], str, Path], student: str) -> None:
    _, verdict, reason = ODD[student]
    assert graded[0][student]["verdict"] == verdict
    assert reason in graded[0][student]["reason"]


def test_nothing_is_left_out_and_no_name_acts_where_it_is_shown(
    graded: tuple[dict[str, dict[str, Any]], str, Path],
) -> None:
    entries, told, results = graded
    assert set(entries) == set(ODD)
    assert "\x1b" not in told and "line\\nbreak \\x1b[31m" in told
    for file in results.rglob("*"):
        assert "\n" not in file.name and "\x1b" not in file.name
    assert len(list((results / "feedback").iterdir())) == len(ODD)


def test_a_file_named_as_a_module_that_the_sandbox_needs_is_a_file_like_any_other(tmp_path: Path) -> None:
    tiny.write_problem(tmp_path / "problems")
    folder = tmp_path / "class" / tiny.SLUG
    folder.mkdir(parents=True)
    for name in ("jax", "json", "judge", "__init__"):
        (folder / f"{name}.py").write_bytes(RIGHT)
    ran = command("grade", "class", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    content = json.loads((tmp_path / "results" / "results.json").read_text())
    assert {one["student"]: one["verdict"] for one in content["results"]} == dict.fromkeys(
        ("jax", "json", "judge", "__init__"), "accepted"
    )


def test_a_file_that_is_gone_and_one_that_may_not_be_read_are_named(tmp_path: Path) -> None:
    tiny.write_problem(tmp_path / "problems")
    tiny.write_submissions(tmp_path / "class", {"ada": "", "bob": ""})
    secret = tmp_path / "class" / "bob" / f"{tiny.SLUG}.py"
    secret.chmod(0)
    ran = command("grade", "class", "nowhere.py", cwd=tmp_path)
    assert "nowhere.py: there is no such file or folder" in ran.stderr
    content = json.loads((tmp_path / "results" / "results.json").read_text())
    verdicts = {one["student"]: one["verdict"] for one in content["results"]}
    # Root may read everything.
    readable = os.access(secret, os.R_OK)
    assert verdicts == {"ada": "load_error", "bob": "load_error" if readable else "ungraded"}
    assert ran.returncode == (0 if readable else 3)
    assert any("nowhere.py" in note for note in content["notes"])
