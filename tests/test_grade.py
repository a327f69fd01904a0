"""A class from files to records, in the real sandbox, and what is left when a run does not end well."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge import assess as assessing
from judge.errors import JudgeFault, UsageError
from judge.executors import desk
from judge.grade import Graded, Request, exit_status, grade
from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.sandbox.settings import SandboxSettings
from judge.store import Store
from tests.support import tiny_problem as tiny
from tests.support.command import command, descendants, started, when
from tests.support.tiny_problem import SLUG, VERDICTS, write_problem, write_submissions

SOURCES = {name: source for name, (source, _) in VERDICTS.items()}
FEW = {name: SOURCES[name] for name in ("right", "summed", "local", "none")}
#: What differs from run to run and decides nothing.
MEASURED = ("seconds", "usage")


class Course:
    """A folder with a problem, submissions and results."""

    def __init__(self, root: Path, sources: Mapping[str, str]) -> None:
        self.root, self.problems, self.out = root, root / "problems", root / "results"
        write_problem(self.problems)
        self.submissions = write_submissions(root / "submissions", sources)
        self.watched: list[tuple[int, int, str]] = []

    def grade(
        self,
        *,
        fresh: bool = False,
        seed: int | None = None,
        jobs: int | None = None,
        settings: SandboxSettings = SandboxSettings(),  # noqa: B008 - frozen
        stop_early: bool = False,
    ) -> Graded:
        self.watched = []
        request = Request((self.submissions,), self.problems, None, self.out, jobs, seed, fresh, settings)
        return grade(replace(request, stop_early=stop_early), self._watch)

    def _watch(self, done: int, total: int, record: Record | None) -> None:
        self.watched.append((done, total, record.student if record else ""))

    def arguments(self, *more: str) -> list[str | Path]:
        return ["--problems", self.problems, "grade", self.submissions, "--out", self.out, *more]

    def results(self) -> dict[str, dict[str, Any]]:
        return {one["student"]: one for one in json.loads((self.out / "results.json").read_text())["results"]}


def verdicts(graded: Graded) -> dict[str, str]:
    return {record.student: record.verdict.value for record in graded.records}


def compared(results: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {key: one[key] for key in one if key not in MEASURED} for name, one in results.items()}


@pytest.fixture
def course(tmp_path: Path) -> Callable[[Mapping[str, str]], Course]:
    return lambda sources: Course(tmp_path, sources)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Graded]:
    """The whole class, graded once."""
    made = Course(tmp_path_factory.mktemp("whole"), SOURCES)
    return made, made.grade(seed=5)


def test_every_submission_gets_the_verdict_that_it_deserves(whole: tuple[Course, Graded]) -> None:
    assert verdicts(whole[1]) == {name: verdict for name, (_, verdict) in VERDICTS.items()}


def test_the_watch_is_told_of_each_record_once(whole: tuple[Course, Graded]) -> None:
    course, _ = whole
    assert course.watched[0] == (0, len(SOURCES), "")
    assert [done for done, _, _ in course.watched] == list(range(len(SOURCES) + 1))
    assert {student for _, _, student in course.watched[1:]} == set(SOURCES)


def test_accepted_alone_has_full_marks_and_every_reason_is_a_sentence(whole: tuple[Course, Graded]) -> None:
    for record in whole[1].records:
        assert (record.score == record.max_score) == (record.verdict is Verdict.ACCEPTED)
        assert record.reason[:1].isupper() or record.reason[:1] == "`"
        assert record.reason.strip()


def test_the_recognised_mistake_and_its_hint_are_in_the_record(whole: tuple[Course, Graded]) -> None:
    (record,) = (one for one in whole[1].records if one.student == "summed")
    assert record.mistake == "summed"
    assert "divide it by N" in record.reason
    assert record.counterexample is not None and record.counterexample.actual


def test_the_record_says_what_each_device_holds_of_a_case_that_may_be_shown(whole: tuple[Course, Graded]) -> None:
    held = {record.student: {one.output: one for one in record.shards} for record in whole[1].records}
    right = held["right"]["mean"]
    assert (right.case, right.shape, [part.devices for part in right.parts]) == ("example-1", (2,), [(0, 1)])
    assert right.parts[0].values == [2.0, 3.0]
    assert [part.index for part in held["right"]["rows"].parts] == [((0, 2),), ((2, 4),)]
    # Each device holds the mean of its own rows, on the input that the search found.
    local = held["local"]["mean"]
    assert local.case == "counterexample"
    assert [part.devices for part in local.parts] == [(0,), (1,)]
    assert local.parts[0].values != local.parts[1].values
    assert held["broken"] == {}


def test_no_record_holds_the_numbers_of_a_hidden_case(whole: tuple[Course, Graded]) -> None:
    course, graded = whole
    bank = next((course.out / ".judge" / "banks").iterdir())
    assert bank.stat().st_mode & 0o077 == 0
    for record in graded.records:
        assert record.counterexample is None or not record.counterexample.case.startswith("hidden")


def test_the_same_seed_gives_the_same_records_again(whole: tuple[Course, Graded], tmp_path: Path) -> None:
    _, first = whole
    again = Course(tmp_path, {name: SOURCES[name] for name in ("right", "summed", "local", "remembers", "raises")})
    second = again.grade(seed=5)
    known = {record.student: record for record in first.records}
    for record in second.records:
        one = known[record.student]
        assert (record.verdict, record.score, record.reason) == (one.verdict, one.score, one.reason)
        assert (record.counterexample, record.mistake, record.groups) == (one.counterexample, one.mistake, one.groups)
        assert record.cases == one.cases


def test_another_seed_draws_other_cases(whole: tuple[Course, Graded], tmp_path: Path) -> None:
    first = next((whole[0].out / ".judge" / "banks").iterdir())
    other = Course(tmp_path, {"none": tiny.NONE})
    other.grade(seed=6)
    second = next((other.out / ".judge" / "banks").iterdir())
    assert first.name != second.name and first.read_bytes() != second.read_bytes()


def test_a_second_run_grades_only_what_changed(course: Callable[[Mapping[str, str]], Course]) -> None:
    made = course(FEW)
    first = made.grade()
    write_submissions(made.submissions, {"summed": tiny.RIGHT, "new": tiny.BROKEN})
    second = made.grade()
    assert second.reused == 3
    assert {student for _, _, student in made.watched if student} == {"summed", "new"}
    assert second.seed == first.seed
    assert verdicts(second) == {**verdicts(first), "summed": "accepted", "new": "load_error"}


def test_a_changed_problem_or_seed_makes_everything_new(course: Callable[[Mapping[str, str]], Course]) -> None:
    made = course({"right": tiny.RIGHT, "none": tiny.NONE})
    made.grade(seed=1)
    assert made.grade(seed=2).reused == 0
    assert made.grade().reused == 2
    file = made.problems / SLUG / "problem.yaml"
    file.write_text(file.read_text().replace("cases: 24", "cases: 20"))
    assert made.grade().reused == 0


def test_fresh_grades_everything_again(course: Callable[[Mapping[str, str]], Course]) -> None:
    made = course({"right": tiny.RIGHT, "none": tiny.NONE})
    first = made.grade()
    second = made.grade(fresh=True)
    assert second.reused == 0
    assert len(made.watched) == 3
    assert verdicts(second) == verdicts(first)


def test_the_submissions_of_a_broken_problem_are_ungraded_and_the_rest_is_graded(
    course: Callable[[Mapping[str, str]], Course],
) -> None:
    made = course({"right": tiny.RIGHT})
    for slug, file, content in (
        ("broken-yaml", "problem.yaml", "title: [\n"),
        ("broken-oracle", "oracle.py", "def solve(x, scale):\n    return {}\n"),
    ):
        (write_problem(made.problems, slug) / file).write_text(content)
        write_submissions(made.submissions, {"right": tiny.RIGHT}, slug)
    graded = made.grade()
    told = {record.problem: record for record in graded.records}
    assert told[SLUG].verdict is Verdict.ACCEPTED
    for slug in ("broken-yaml", "broken-oracle"):
        assert told[slug].verdict is Verdict.UNGRADED
        assert told[slug].score is None
        assert slug in told[slug].reason
    assert set(graded.faulty) == {"broken-yaml", "broken-oracle"}
    assert exit_status(graded, strict=False) == 2


def test_a_broken_problem_that_nobody_handed_in_for_does_not_matter(
    course: Callable[[Mapping[str, str]], Course],
) -> None:
    made = course({"none": tiny.NONE})
    (write_problem(made.problems, "other") / "problem.yaml").write_text("title: [\n")
    graded = made.grade()
    assert not graded.faulty
    assert exit_status(graded, strict=False) == 0


def test_a_file_that_cannot_be_read_is_ungraded_and_is_graded_once_it_can(
    course: Callable[[Mapping[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = course({"right": tiny.RIGHT, "none": tiny.NONE})
    opens = os.open

    def failing(path: Any, *arguments: Any, **named: Any) -> int:
        # Even root may read a file without permissions; a disk may fail for anyone.
        if Path(path).parent.name == "right":
            raise OSError(5, "Input/output error")
        return opens(path, *arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", failing)
        graded = made.grade()
    assert verdicts(graded) == {"right": "ungraded", "none": "wrong_type"}
    assert next(one for one in graded.records if one.student == "right").score is None
    assert exit_status(graded, strict=False) == 3
    assert verdicts(made.grade()) == {"right": "accepted", "none": "wrong_type"}


def test_a_bug_of_the_judge_is_ungraded_and_takes_nobody_along(
    course: Callable[[Mapping[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = course({"right": tiny.RIGHT, "none": tiny.NONE})
    assess = assessing.assess

    def failing(context: Any, submission: Any) -> Record:
        if submission.student == "right":
            raise IndexError("list index out of range")
        return assess(context, submission)

    with monkeypatch.context() as patched:
        patched.setattr(desk, "assess", failing)
        graded = made.grade()
    assert verdicts(graded) == {"right": "ungraded", "none": "wrong_type"}
    assert "please report it" in next(one.reason for one in graded.records if one.student == "right")
    # What was ungraded is tried again.
    assert verdicts(made.grade())["right"] == "accepted"


def test_a_class_that_too_little_confines_is_refused_unless_unsafe_is_said_and_then_says_so(
    course: Callable[[Mapping[str, str]], Course],
) -> None:
    made = course({"right": SOURCES["right"]})
    with pytest.raises(UsageError, match="--unsafe"):
        made.grade(settings=SandboxSettings(seccomp=False))
    graded = made.grade(settings=SandboxSettings(seccomp=False, unsafe=True))
    assert graded.environment["sandbox"].startswith("sandbox: off")
    assert [(record.verdict, record.confined) for record in graded.records] == [(Verdict.ACCEPTED, False)]
    # What was found there is not believed where more can be had.
    again = made.grade()
    assert again.reused == 0
    assert [(record.verdict, record.confined) for record in again.records] == [(Verdict.ACCEPTED, True)]


def test_stopping_early_runs_no_more_than_the_examples_of_what_is_wrong_on_one(
    course: Callable[[Mapping[str, str]], Course],
) -> None:
    made = course({"right": SOURCES["right"], "summed": tiny.SUMMED})
    graded = made.grade(seed=1, stop_early=True)
    first = {record.student: record for record in graded.records}
    assert verdicts(graded) == {"right": "accepted", "summed": "wrong_answer"}
    assert "export" in first["right"].seconds and "export" not in first["summed"].seconds
    assert any("--stop-early" in note for note in first["summed"].notes)
    # What was stopped is taken for the whole by nobody; the whole is good enough for who would have stopped.
    whole = made.grade()
    assert whole.reused == 1 and all("export" in record.seconds for record in whole.records)
    assert made.grade(stop_early=True).reused == 2


def test_nothing_to_grade_is_a_usage_error_that_says_where_it_looked(tmp_path: Path) -> None:
    made = Course(tmp_path, {})
    made.submissions.mkdir(exist_ok=True)
    with pytest.raises(UsageError, match="submissions"):
        made.grade()
    assert not made.out.exists()


@pytest.mark.parametrize(
    ("verdict", "strict", "status"),
    [
        ("accepted", True, 0),
        ("wrong_answer", False, 0),
        ("wrong_answer", True, 1),
        ("ungraded", False, 3),
        ("ungraded", True, 3),
    ],
)
def test_the_exit_status_is_of_the_judge_first_and_of_the_class_when_strict(
    whole: tuple[Course, Graded], verdict: str, strict: bool, status: int
) -> None:
    record = whole[1].records[0]
    graded = Graded(1, [replace(record, verdict=Verdict(verdict))])
    assert exit_status(graded, strict=strict) == status
    assert exit_status(Graded(1, [], interrupted=True), strict=strict) == 3


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    made = Course(tmp_path_factory.mktemp("undisturbed"), FEW)
    assert command(*made.arguments("--seed", "9", "--jobs", "1"), cwd=made.root).returncode == 0
    return compared(made.results())


def _same(made: Course, undisturbed: dict[str, dict[str, Any]]) -> None:
    found = compared(made.results())
    for name, one in undisturbed.items():
        assert {**found[name], "file": ""} == {**one, "file": ""}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_loses_nothing_finished_and_the_next_one_completes_it(
    course: Callable[[Mapping[str, str]], Course], undisturbed: dict[str, dict[str, Any]], how: signal.Signals
) -> None:
    made = course(FEW)
    process = started(*made.arguments("--seed", "9", "--jobs", "1"), cwd=made.root)
    told = when(process, "[2/4]", lambda: process.send_signal(how))
    if how is signal.SIGINT:
        assert process.returncode == 3, told
        entries = made.results().values()
        assert {one["verdict"] for one in entries if one["score"] is None} == {"ungraded"}
    else:
        assert process.returncode == -how
    kept = list((made.out / ".judge" / "records").glob("*.json"))
    assert 2 <= len(kept) < 4
    before = {file: file.read_bytes() for file in kept}
    again = command(*made.arguments("--jobs", "1"), cwd=made.root)
    assert again.returncode == 0, again.stderr
    assert f"{len(kept)} of them unchanged" in again.stdout
    assert {file: file.read_bytes() for file in kept} == before
    _same(made, undisturbed)


def test_a_launcher_that_dies_never_makes_a_score(
    course: Callable[[Mapping[str, str]], Course], undisturbed: dict[str, dict[str, Any]]
) -> None:
    made = course(FEW)
    process = started(*made.arguments("--seed", "9", "--jobs", "1"), cwd=made.root)

    def kill_below() -> None:
        for pid in descendants(process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    told = when(process, "[1/4]", kill_below)
    assert process.returncode in {0, 3}, told
    for name, one in made.results().items():
        if one["verdict"] == "ungraded":
            assert one["score"] is None
        else:
            assert one["verdict"] == undisturbed[name]["verdict"]
    assert command(*made.arguments("--jobs", "1"), cwd=made.root).returncode == 0
    _same(made, undisturbed)


def test_a_disk_that_is_full_keeps_what_was_finished(
    course: Callable[[Mapping[str, str]], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = course(FEW)
    keep = Store.keep
    room = threading.Semaphore(2)

    def full(self: Any, record: Record) -> None:
        if not room.acquire(blocking=False):
            raise Store._cannot_write(self.out, OSError(28, "No space left on device"))
        keep(self, record)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "keep", full)
        with pytest.raises(JudgeFault, match="free some space"):
            made.grade(jobs=1)
    assert len(list((made.out / ".judge" / "records").glob("*.json"))) == 2
    graded = made.grade()
    assert graded.reused == 2
    assert verdicts(graded) == {name: VERDICTS[name][1] for name in FEW}
