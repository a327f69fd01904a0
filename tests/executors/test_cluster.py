"""A class on a cluster: a real scheduler and real workers, each a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import judge
from tests.support import tiny_problem as tiny
from tests.support.cluster import Grid, freeze, grid
from tests.support.command import command, started, when
from tests.support.tiny_problem import VERDICTS, write_problem, write_submissions

PRELOADS = Path(__file__).parent / "preloads"
FEW = {name: VERDICTS[name][0] for name in ("right", "summed", "local", "none")}
#: What differs from run to run and decides nothing.
MEASURED = ("seconds", "usage")


class Course:
    """A folder with a problem, submissions and results."""

    def __init__(self, root: Path, sources: Mapping[str, str] = FEW) -> None:
        self.root, self.out = root, root / "results"
        self.problems = root / "problems"
        write_problem(self.problems)
        self.submissions = write_submissions(root / "submissions", sources)

    def arguments(self, *more: str) -> list[str | Path]:
        return ["--problems", self.problems, "grade", self.submissions, "--out", self.out, "--seed", "9", *more]

    def results(self) -> dict[str, dict[str, Any]]:
        entries = json.loads((self.out / "results.json").read_text())["results"]
        return {one["student"]: {key: one[key] for key in one if key not in MEASURED} for one in entries}

    def verdicts(self) -> dict[str, str]:
        return {student: one["verdict"] for student, one in self.results().items()}


def same(course: Course, here: Mapping[str, Mapping[str, Any]]) -> None:
    found = course.results()
    assert set(found) <= set(here)
    for student, one in found.items():
        assert {**one, "file": ""} == {**here[student], "file": ""}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The records of a few submissions, made on this machine."""
    course = Course(tmp_path_factory.mktemp("here"))
    assert command(*course.arguments(), cwd=course.root).returncode == 0
    return course.results()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Grid]:
    with grid(tmp_path / "grid") as made:
        yield made


def test_one_worker_with_two_threads_gives_the_records_of_this_machine(
    tmp_path: Path, workers: Grid, here: dict[str, dict[str, Any]]
) -> None:
    course = Course(tmp_path)
    workers.worker("--nthreads", "2")
    done = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (0, len(FEW) + 3), done.stderr
    same(course, here)
    assert json.loads((course.out / "results.json").read_text())["environment"]["safe"] is True


@pytest.mark.long("grades the whole small class")
def test_workers_started_for_the_run_judge_a_class_rightly_and_leave_nothing(
    tmp_path: Path, here: dict[str, dict[str, Any]]
) -> None:
    course = Course(tmp_path, {name: source for name, (source, _) in VERDICTS.items()})
    place = tmp_path / "tmp"
    place.mkdir()
    done = command(*course.arguments("--cluster", "local:2"), cwd=tmp_path, env={"TMPDIR": str(place)})
    assert done.returncode == 0, done.stderr
    assert course.verdicts() == {name: verdict for name, (_, verdict) in VERDICTS.items()}
    assert {name: {**course.results()[name], "file": ""} for name in FEW} == {
        name: {**one, "file": ""} for name, one in here.items()
    }
    assert list(place.iterdir()) == []


@pytest.mark.long("starts three workers, one after the other's death")
def test_when_every_worker_dies_another_one_does_what_they_held(
    tmp_path: Path, workers: Grid, here: dict[str, dict[str, Any]]
) -> None:
    course = Course(tmp_path)
    for _ in range(2):
        workers.worker()

    def replace() -> None:
        workers.kill_workers()
        workers.worker()

    process = started(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    told = when(process, "[1/4]", replace)
    assert process.returncode == 0, told
    same(course, here)
    assert set(course.verdicts()) == set(FEW)


@pytest.mark.long("waits until the scheduler gives up a worker")
def test_a_worker_that_hangs_costs_what_it_held_and_no_more(tmp_path: Path, here: dict[str, dict[str, Any]]) -> None:
    course = Course(tmp_path)
    with grid(tmp_path / "grid", env={"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "5 s"}) as workers:
        first = workers.worker()
        process = started(*course.arguments("--cluster", workers.address), cwd=tmp_path)

        def hang() -> None:
            freeze(first)
            workers.worker()

        told = when(process, "[1/4]", hang)
        assert process.returncode == 0, told
    same(course, here)
    assert set(course.verdicts()) == set(FEW)


@pytest.mark.long("loses three workers")
def test_a_submission_over_which_three_workers_died_is_ungraded_and_the_rest_is_graded(
    tmp_path: Path, workers: Grid
) -> None:
    course = Course(tmp_path, {"a-dies": f"# the worker dies\n{tiny.RIGHT}", "none": tiny.NONE})
    for _ in range(4):
        workers.worker("--preload", str(PRELOADS / "failing.py"))
    done = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert course.verdicts() == {"a-dies": "ungraded", "none": "wrong_type"}
    dead = course.results()["a-dies"]
    assert dead["score"] is None
    assert dead["reason"].count("died") == 3


def test_what_a_worker_answers_is_taken_only_when_it_is_the_record_that_was_asked_for(
    tmp_path: Path, workers: Grid
) -> None:
    sources = {
        "object": f"# the worker answers with an object\n{tiny.NONE}",
        "other": f"# the worker answers for another\n{tiny.NONE}",
        "none": tiny.NONE,
    }
    course = Course(tmp_path, sources)
    workers.worker("--preload", str(PRELOADS / "failing.py"))
    done = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert course.verdicts() == {"object": "ungraded", "other": "ungraded", "none": "wrong_type"}
    assert "answered for another submission" in course.results()["other"]["reason"]
    assert "failed" in course.results()["object"]["reason"]


@pytest.mark.long("four runs")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_judge_that_is_ended_loses_nothing_finished_and_the_next_one_completes_it(
    tmp_path: Path, workers: Grid, here: dict[str, dict[str, Any]], how: signal.Signals
) -> None:
    course = Course(tmp_path)
    workers.worker()
    process = started(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    told = when(process, "[2/4]", lambda: process.send_signal(how))
    assert process.returncode == (3 if how is signal.SIGINT else -how), told
    kept = {file: file.read_bytes() for file in (course.out / ".judge" / "records").glob("*.json")}
    assert 2 <= len(kept) < 4
    again = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"{len(kept)} of them unchanged" in again.stdout
    assert {file: file.read_bytes() for file in kept} == kept
    same(course, here)
    assert set(course.verdicts()) == set(FEW)


def test_a_scheduler_that_dies_leaves_the_rest_ungraded_with_the_remedy(tmp_path: Path, workers: Grid) -> None:
    course = Course(tmp_path)
    workers.worker()
    process = started(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    told = when(process, "[2/4]", workers.scheduler.kill)
    assert process.returncode == 3, told
    reasons = [one["reason"] for one in course.results().values() if one["verdict"] == "ungraded"]
    assert len(reasons) in (1, 2)
    assert all("run the same command again" in reason for reason in reasons)


def altered(folder: Path) -> dict[str, str]:
    """The environment of a worker whose judge is another version."""
    shutil.copytree(Path(judge.__file__).parent, folder / "judge", ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "judge" / "decide.py").open("a") as source:
        source.write("# another version\n")
    return {"PYTHONPATH": str(folder)}


def test_a_worker_of_another_version_is_refused_by_name_with_the_remedy(
    tmp_path: Path, workers: Grid, here: dict[str, dict[str, Any]]
) -> None:
    course = Course(tmp_path, {"none": tiny.NONE})
    workers.worker(env=altered(tmp_path / "other"))
    refused = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert refused.returncode == 2
    assert "worker tcp://127.0.0.1:" in refused.stderr
    assert "it has judge" in refused.stderr
    assert "pip install 'jax-judge[cluster]" in refused.stderr
    workers.worker()
    done = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    same(course, here)


@pytest.mark.skipif(os.name != "posix", reason="the layers are Linux'")
def test_a_worker_that_cannot_confine_says_so_and_takes_no_work(tmp_path: Path, workers: Grid) -> None:
    course = Course(tmp_path, {"none": tiny.NONE})
    workers.worker("--preload", str(PRELOADS / "unconfined.py"))
    refused = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
    assert refused.returncode == 2, refused.stderr
    assert "worker tcp://127.0.0.1:" in refused.stderr
    assert "submissions would not be confined" in refused.stderr
    assert not (course.out / "results.json").exists()
    unsafe = command(*course.arguments("--unsafe", "--cluster", workers.address), cwd=tmp_path)
    assert unsafe.returncode == 0, unsafe.stderr
    environment = json.loads((course.out / "results.json").read_text())["environment"]
    assert (environment["safe"], environment["unsafe"]) == (False, True)


def test_without_dask_one_sentence_says_how_to_install_it(tmp_path: Path) -> None:
    course = Course(tmp_path, {"none": tiny.NONE})
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "distributed.py").write_text("raise ModuleNotFoundError('No module named distributed')\n")
    where = os.pathsep.join([str(hidden), str(Path(judge.__file__).resolve().parents[1])])
    done = command(*course.arguments("--cluster", "local:1"), cwd=tmp_path, env={"PYTHONPATH": where})
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'jax-judge[cluster]'" in done.stderr


@pytest.fixture
def certified(tmp_path: Path) -> Callable[[], tuple[Path, Path]]:
    from distributed.security import Security

    def make() -> tuple[Path, Path]:
        made = Security.temporary()
        certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
        certificate.write_text(made.tls_ca_file)
        key.write_text(made.tls_client_key)
        return certificate, key

    return make


def test_an_encrypted_cluster_is_used_with_certificates_and_refused_without(
    tmp_path: Path, certified: Callable[[], tuple[Path, Path]]
) -> None:
    course = Course(tmp_path, {"none": tiny.NONE})
    certificate, key = certified()
    options = ("--tls-ca-file", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key))
    with grid(tmp_path / "grid", options=options) as workers:
        workers.worker()
        without = command(*course.arguments("--cluster", workers.address), cwd=tmp_path)
        assert without.returncode == 2
        assert "--tls-ca, --tls-cert and --tls-key" in without.stderr
        files = ("--tls-ca", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key))
        done = command(*course.arguments("--cluster", workers.address, *files), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert course.verdicts() == {"none": "wrong_type"}
