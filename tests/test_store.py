"""Results on disk: whole or not at all, and never taken for what they are not."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import store as stores
from judge.errors import JudgeFault, UsageError
from judge.model.record import Record
from judge.store import Store, from_json, to_json
from tests.support.records import ACCEPTED, UNGRADED, WRONG, records


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "out")
    made.open()
    return made


def record_files(store: Store) -> list[Path]:
    return sorted((store.out / ".judge" / "records").iterdir())


@given(records)
def test_any_record_comes_back_from_json_as_it_was(record: Record) -> None:
    text = json.dumps(to_json(record), ensure_ascii=True, allow_nan=False)
    assert from_json(json.loads(text)) == record


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_anything_else_than_a_record_is_refused(content: object) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        from_json(content)  # type: ignore[arg-type]  # that is the point


def test_results_from_before_shards_were_kept_can_still_be_read() -> None:
    old = to_json(ACCEPTED)
    del old["shards"]
    assert from_json(old) == ACCEPTED


def test_a_record_is_kept_by_student_and_problem(store: Store) -> None:
    for one in (ACCEPTED, WRONG, UNGRADED, replace(ACCEPTED, problem="other")):
        store.keep(one)
    assert store.kept("ada", "row-means") == ACCEPTED
    assert store.kept("bob", "row-means") == WRONG
    assert store.kept("nobody", "row-means") is None
    assert len(record_files(store)) == 4


@pytest.mark.parametrize("student", ["..", "a/b", "\udcff", "x" * 500, "", "CON", "a\0b"])
def test_any_name_of_a_student_can_be_kept(store: Store, student: str) -> None:
    store.keep(replace(ACCEPTED, student=student))
    kept = store.kept(student, "row-means")
    assert kept is not None and kept.student == student


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"verdict": "accepted"}', b"\xff\x00", b"[" * 100_000, b'"x"'])
def test_a_damaged_record_is_as_none(store: Store, content: bytes) -> None:
    store.keep(ACCEPTED)
    record_files(store)[0].write_bytes(content)
    assert store.kept("ada", "row-means") is None


def test_a_record_cut_anywhere_is_as_none(store: Store) -> None:
    store.keep(WRONG)
    (file,) = record_files(store)
    whole = file.read_bytes()
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        assert store.kept("bob", "row-means") is None


def test_what_cannot_be_opened_is_as_none(store: Store) -> None:
    store.keep(ACCEPTED)
    (file,) = record_files(store)
    file.unlink()
    file.mkdir()
    assert store.kept("ada", "row-means") is None


def test_files_and_folders_of_the_judge_are_for_their_owner_alone(store: Store) -> None:
    store.seed(None)
    store.keep(ACCEPTED)
    for file in (store.out / ".judge" / "seed", *record_files(store)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((store.out / ".judge").stat().st_mode) == 0o700


def test_a_seed_is_drawn_once_and_kept(store: Store) -> None:
    first = store.seed(None)
    assert Store(store.out).seed(None) == first
    assert store.seed(17) == 17
    assert Store(store.out).seed(None) == 17


def test_two_courses_draw_different_seeds(tmp_path: Path) -> None:
    drawn = set()
    for name in ("one", "two"):
        made = Store(tmp_path / name)
        made.open()
        drawn.add(made.seed(None))
    assert len(drawn) == 2


@pytest.mark.parametrize("content", ["", "many", "-3", "1.5"])
def test_a_file_without_a_seed_is_named_with_what_to_do(store: Store, content: str) -> None:
    (store.out / ".judge" / "seed").write_text(content)
    with pytest.raises(UsageError, match=r"seed holds no seed .*--seed"):
        store.seed(None)


def test_a_place_taken_by_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="--out"):
        Store(tmp_path / "out").open()
    assert (tmp_path / "out").read_text() == "mine"


def _no_space(dir: Path, prefix: str, suffix: str) -> tuple[int, str]:  # noqa: A002  named as in tempfile
    # The kernel's own answer to a full disk.
    handle, name = _MKSTEMP(dir=dir, prefix=prefix, suffix=suffix)
    os.close(handle)
    return os.open("/dev/full", os.O_WRONLY), name


_MKSTEMP = tempfile.mkstemp


def _refused(*args: object, **kwargs: object) -> tuple[int, str]:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(("fails", "remedy"), [(_no_space, "free some space"), (_refused, "make it writable")])
def test_a_disk_that_takes_nothing_is_a_fault_of_the_judge_and_what_was_written_stands(
    store: Store, monkeypatch: pytest.MonkeyPatch, fails: Callable[..., tuple[int, str]], remedy: str
) -> None:
    store.keep(ACCEPTED)
    store.keep(WRONG)
    before = {file: file.read_bytes() for file in record_files(store)}
    monkeypatch.setattr("judge.store.tempfile.mkstemp", fails)
    for record in (replace(ACCEPTED, score=0.0), UNGRADED):
        with pytest.raises(JudgeFault, match=rf"cannot be written \(.*{remedy} or choose another --out.*is kept"):
            store.keep(record)
    assert {file: file.read_bytes() for file in record_files(store)} == before
    monkeypatch.undo()
    assert store.kept("ada", "row-means") == ACCEPTED


def test_a_write_that_is_killed_in_the_middle_leaves_the_old_file_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.keep(ACCEPTED)

    def killed(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        store.keep(replace(ACCEPTED, score=0.0))
    monkeypatch.undo()
    assert store.kept("ada", "row-means") == ACCEPTED
    assert len(record_files(store)) == 1


def test_a_key_depends_on_every_part_and_on_their_borders() -> None:
    keys = {stores.key("a", "b"), stores.key("ab"), stores.key("a", "b", ""), stores.key("b", "a")}
    assert len(keys) == 4
    assert stores.key("a", "b") == stores.key("a", "b")


def test_versions_name_the_libraries_and_the_sources_of_the_judge() -> None:
    found = stores.versions()
    assert {"jax", "jaxlib", "numpy", "hypothesis", "judge"} == set(found)
    assert "+" in found["judge"] and all(found.values())


def test_results_are_in_the_order_of_student_and_problem() -> None:
    other = replace(ACCEPTED, problem="a-problem")
    content = stores.results(3, {"python": "x"}, [WRONG, ACCEPTED, UNGRADED, other])
    assert (content["version"], content["seed"]) == (1, 3)
    order = [(one["student"], one["problem"]) for one in content["results"]]
    assert order == sorted(order)
    assert content["results"][-1]["score"] is None
