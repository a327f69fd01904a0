"""How the cost of grading grows: with cases, shapes, submissions and cores. One table, JSON, and curves in Markdown.

    python tests/bench/scaling.py [--repeat 3] [--json scaling.json] [--readme tests/bench/README.md] [--thousand]

CPU seconds are of everything that `judge grade` starts, medians; a submission's cost is a class's, divided by its number.
`--thousand` grades a thousand submissions and looks at the two halves; it takes a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from tests.bench.measure import Cost, measure  # noqa: E402  the checkout is put on the path first
from tests.bench.run import JUDGE, SLUG, copies, environment, succeeded  # noqa: E402

KIND = ROOT / "submissions" / "s03" / f"{SLUG}.py"
CASES = (1, 100, 400, 1600)
SHAPES = (1, 2, 4, 6)
SUBMISSIONS = (1, 4, 16, 64)
CLASS = 6
MARK = "<!-- measured: python tests/bench/scaling.py --readme -->"


@dataclass(frozen=True, slots=True)
class Point:
    """`x` of what is varied; seconds of CPU a submission, and of wall clock of the whole run."""

    x: int
    cpu_s: float
    wall_s: float


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="judge-bench-") as folder:
        if options.thousand:
            # As for a user who grades for the first time.
            os.environ["JUDGE_CACHE"] = f"{folder}/cache"
            print(json.dumps(thousand(Path(folder)), indent=2))
            return
        os.environ["JUDGE_CACHE"] = ""
        report = bench(Path(folder), options.repeat)
    print(table(report))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    if options.readme:
        head = options.readme.read_text().partition(MARK)[0]
        options.readme.write_text(f"{head}{MARK}\n\n{table(report)}\n{curves(report)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3, help="runs of each measurement; the median counts")
    parser.add_argument("--json", type=Path, help="write everything that was measured here")
    parser.add_argument("--readme", type=Path, help="replace the measured part of this file")
    parser.add_argument("--thousand", action="store_true", help="only grade a thousand submissions")
    return parser.parse_args()


def bench(folder: Path, repeat: int) -> dict[str, Any]:
    series: dict[str, list[Point]] = {"cases": [], "shapes": [], "submissions": [], "cores": []}
    few = copies(KIND, folder / "class", CLASS)
    for cases in CASES:
        problems = varied(folder / f"cases-{cases}", cases=cases)
        series["cases"].append(point(cases, few, problems, folder, CLASS, repeat))
    for shapes in SHAPES:
        problems = varied(folder / f"shapes-{shapes}", shapes=shapes)
        series["shapes"].append(point(shapes, few, problems, folder, CLASS, repeat))
    problems = varied(folder / "usual")
    for count in SUBMISSIONS:
        many = copies(KIND, folder / "many", count)
        series["submissions"].append(point(count, many, problems, folder, count, repeat))
    many = copies(KIND, folder / "many", 8 * (os.cpu_count() or 1))
    for cores in sorted({1, os.cpu_count() or 1}):
        count = 8 * (os.cpu_count() or 1)
        series["cores"].append(point(cores, many, problems, folder, count, repeat, cores=cores))
    return {
        "series": {name: [asdict(one) for one in points] for name, points in series.items()},
        "repeat": repeat,
        "environment": environment(),
    }


def varied(folder: Path, *, cases: int | None = None, shapes: int | None = None) -> Path:
    """A folder of problems with this one, whose bank has so many fuzzed cases in so many shapes beside the pinned ones."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "problems" / SLUG, folder / SLUG)
    file = folder / SLUG / "problem.yaml"
    text = file.read_text()
    if cases is not None:
        text, found = re.subn(r"(?m)^(fuzz:\n(?:.*\n)*?\s+cases: )\d+", lambda m: f"{m[1]}{cases}", text)
        assert found == 1, f"{file} has no `fuzz: cases:`"
    if shapes is not None:
        block = re.search(r"(?m)^  shapes:\n((?:    .*\n)+)", text)
        assert block, f"{file} has no `fuzz: shapes:`"
        entries = re.findall(r"(?m)^    - .*\n(?:      .*\n)*", block[1])
        text = text[: block.start(1)] + "".join(entries[:shapes]) + text[block.end(1) :]
    file.write_text(text)
    return folder


def point(
    x: int, submissions: Path, problems: Path, folder: Path, count: int, repeat: int, *, cores: int | None = None
) -> Point:
    """Grade with the bank kept from a run before, `repeat` times."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    command = grade(submissions, problems, folder / "out", jobs=cores or 1)
    held = ["taskset", "-c", f"0-{cores - 1}", *command] if cores else command
    succeeded(measure(command, cwd=ROOT))
    costs = [succeeded(measure(held, cwd=ROOT)) for _ in range(repeat)]
    found = Point(x, median(costs, "cpu_s") / count, median(costs, "wall_s"))
    print(f"{x}: {found.cpu_s:.2f} s a submission, {found.wall_s:.1f} s", file=sys.stderr)
    return found


def grade(submissions: Path, problems: Path, out: Path, *, jobs: int) -> list[str | Path]:
    line: list[str | Path] = [*JUDGE, "-q", "--problems", problems, "grade", submissions, "--out", out]
    return [*line, "--seed", "1", "--jobs", str(jobs), "--fresh"]


def median(costs: Sequence[Cost], name: str) -> float:
    return float(statistics.median(getattr(cost, name) for cost in costs))


def thousand(folder: Path, count: int = 1000) -> dict[str, Any]:
    """A class of `count`, of the shipped solutions to all problems: is it a straight line, and is anything left?"""
    shipped = sorted((ROOT / "submissions").glob("*/*.py"))
    for number in range(count):
        source = shipped[number % len(shipped)]
        file = folder / "class" / f"s{number:04}" / source.name
        file.parent.mkdir(parents=True)
        file.write_bytes(source.read_bytes() + f"\n# {number}\n".encode())
    before = processes()
    command = grade(folder / "class", ROOT / "problems", folder / "out", jobs=os.cpu_count() or 1)
    cost = succeeded(measure(command, cwd=ROOT))
    records = sorted((folder / "out" / ".judge" / "records").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    times = [file.stat().st_mtime_ns / 1e9 for file in records]
    half = len(times) // 2
    first, second = times[half - 1] - times[0], times[-1] - times[half]
    return {
        "submissions": len(times),
        "wall_s": round(cost.wall_s, 1),
        "cpu_s_a_submission": round(cost.cpu_s / len(times), 3),
        "second_half_to_first": round(second / first, 3),
        "judge_peak_mb": round(cost.peak_mb, 1),
        "processes_left": sorted(processes() - before),
    }


def processes() -> set[str]:
    """Command lines of every launcher that runs."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if "judge.runner.launcher" in line:
                found.add(f"{entry.name} {line[:100]}")
    return found


def table(report: Mapping[str, Any]) -> str:
    lines = ["| varied | to | CPU seconds a submission | wall seconds of the run |", "|---|--:|--:|--:|"]
    for name, points in report["series"].items():
        lines += [f"| {name} | {one['x']} | {one['cpu_s']:.2f} | {one['wall_s']:.1f} |" for one in points]
    cores = report["series"]["cores"]
    lines.append("")
    if len(cores) > 1:
        gain = cores[0]["wall_s"] / cores[-1]["wall_s"]
        lines.append(f"{cores[-1]['x']} cores grade {gain:.2f} times as many submissions an hour as one.")
    lines.append(f"Medians of {report['repeat']}; {', '.join(f'{k} {v}' for k, v in report['environment'].items())}.")
    return "\n".join(lines) + "\n"


def curves(report: Mapping[str, Any]) -> str:
    """Charts that Markdown viewers draw."""
    titles = {
        "cases": "fuzzed cases",
        "shapes": "shapes of fuzzed cases",
        "submissions": "submissions of one run",
    }
    parts = []
    for name, title in titles.items():
        points = report["series"][name]
        xs = ", ".join(f'"{one["x"]}"' for one in points)
        ys = ", ".join(f"{one['cpu_s']:.3f}" for one in points)
        parts.append(
            f'```mermaid\nxychart-beta\n  title "CPU seconds a submission against {title}"\n  x-axis [{xs}]\n'
            f'  y-axis "seconds" 0 --> {max(one["cpu_s"] for one in points) * 1.1:.2f}\n  line [{ys}]\n```\n'
        )
    return "\n".join(parts)


if __name__ == "__main__":
    main()
