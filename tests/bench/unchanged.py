"""What it costs to know that nothing has changed: a class is graded once, and then told again.

    python tests/bench/unchanged.py [--students 1000]

The class is graded for real once, with one submission; the records of the others are made from that one's, under other names
and for other bytes. CPU seconds are those of the judge's process and of every process that it waited for.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from judge.bank import load_bank
from judge.grade import record_key
from judge.load.problems import load_problem
from judge.load.submissions import find_submissions
from judge.store import Store, read_results
from tests.support import ROOT
from tests.support.command import COMMAND, WHERE

SLUG = "shard-map-step"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--students", type=int, default=1000)
    students = parser.parse_args().students
    with tempfile.TemporaryDirectory() as place:
        folder, out = Path(place) / "class", Path(place) / "results"
        # A wrong one: its record has a counterexample and an error a case, so it is as long as they get.
        source = (ROOT / "submissions" / "s04" / f"{SLUG}.py").read_bytes()
        _put(folder, "first", source)
        print(f"{'what':36}{'CPU s':>8}")
        print(f"{'one submission, graded':36}{_cpu_s(folder, out):8.2f}")
        _copy(folder, out, source, students - 1)
        print(f"{f'{students} unchanged, reports written':36}{_cpu_s(folder, out):8.2f}")
        print(f"{f'{students} unchanged, nothing to write':36}{_cpu_s(folder, out):8.2f}")


def _put(folder: Path, student: str, source: bytes) -> None:
    place = folder / student / f"{SLUG}.py"
    place.parent.mkdir(parents=True)
    place.write_bytes(source)


def _copy(folder: Path, out: Path, source: bytes, students: int) -> None:
    for number in range(students):
        _put(folder, f"s{number:04}", source + f"# {number}\n".encode())
    (record,) = read_results(out)[1]
    problem = load_problem(ROOT / "problems" / SLUG)
    bank = load_bank(next((out / ".judge" / "banks").iterdir()))
    assert bank is not None, "the first run has drawn one"
    store = Store(out)
    for one in find_submissions([folder], [SLUG], problem=None).submissions:
        key = record_key(one, problem, bank)
        store.keep(replace(record, student=one.student, sha256=one.sha256, key=key, file=str(one.file)))


def _cpu_s(folder: Path, out: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*COMMAND, "--quiet", "--problems", ROOT / "problems", "grade", folder, "--out", out],
        env=WHERE,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
