"""The judge beside a plain harness, in one run, on the same cases, by kind of submission.

    python tests/bench/run.py [--repeat 3] [--cases N [--extrapolate]] [--json bench.json]

Cases are those that the judge draws for the seed. The harness is run with XLA's default flags and with the flags that the judge
compiles with, since anybody may set those. CPU seconds are of everything that a command starts, start-up included; medians.

- `alone`: a class of one, nothing kept: what the first submission pays, drawing the cases and the oracle included.
- `in a class`: a class of 8 such submissions, graded by one job, divided by their number, the start of the judge included.
- `one more case`: a further fuzzed case of a known shape. For the judge the difference of two runs whose banks differ by
  1000 cases; for the harness the median of the calls whose shape was met before.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from judge.bank import draw_bank  # noqa: E402  the checkout is put on the path first
from judge.load.problems import load_problem  # noqa: E402
from judge.model.case import Bank  # noqa: E402
from judge.oracle.client import Oracle  # noqa: E402
from tests.bench.measure import Cost, measure  # noqa: E402

SLUG = "shard-map-step"
FLAGS = (
    "--xla_cpu_use_fusion_emitters=false --xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1"
)
#: Accepted submissions, by what costs them time.
KINDS = {
    "eager shard_map": "s02",
    "jit inside solve": "s03",
    "jit at module level": "s01",
}
MORE_CASES = 1000
CLASS = 8
JUDGE = [sys.executable, "-c", "from judge.cli import main; main()"]


@dataclass(frozen=True, slots=True)
class Row:
    """Of one kind: CPU seconds, medians. `harness_cases` of `cases` were run; the rest was extrapolated if asked for."""

    kind: str
    cases: int
    harness_cases: int
    harness_passed: int
    harness_s: float
    harness_flags_s: float
    judge_alone_s: float
    judge_in_class_s: float
    harness_case_ms: float
    harness_flags_case_ms: float
    judge_case_ms: float
    judge_peak_mb: float

    def ratios(self) -> dict[str, float]:
        """How many times the judge's cost the harness costs."""
        return {
            "in_class": self.harness_s / self.judge_in_class_s,
            "in_class_with_flags": self.harness_flags_s / self.judge_in_class_s,
            "alone": self.harness_s / self.judge_alone_s,
            "one_more_case": self.harness_case_ms / self.judge_case_ms if self.judge_case_ms > 0 else float("inf"),
        }


@dataclass(frozen=True, slots=True)
class Harness:
    """Medians of the harness: seconds in all, of one more call, and what passed of how many."""

    total_s: float
    again_s: float
    passed: int
    total: int


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="judge-bench-") as folder:
        report = bench(options, Path(folder))
    print(table(report["rows"], report))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the judge's cases")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each measurement; the median counts")
    parser.add_argument("--cases", type=int, help="run the harness on the first N cases only")
    parser.add_argument(
        "--extrapolate", action="store_true", help="add the calls left out at the cost of a known shape"
    )
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind; may be given again")
    parser.add_argument("--json", type=Path, help="write everything that was measured here")
    options = parser.parse_args()
    if options.cases is not None and not options.extrapolate:
        parser.error("with --cases the harness does less than the judge; say --extrapolate to compare all the same")
    return options


def bench(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    problem = load_problem(ROOT / "problems" / SLUG)
    with Oracle(problem) as oracle:
        bank = draw_bank(problem, options.seed, oracle)
    cases = save_cases(bank, folder / "cases.npz", options.cases)
    small = copy_problem(folder / "small", 0)
    large = copy_problem(folder / "large", MORE_CASES)
    rows, costs = [], []
    for kind in options.kind or KINDS:
        submission = ROOT / "submissions" / KINDS[kind] / f"{SLUG}.py"
        plain = run_harness(submission, cases, options.repeat, "", bank, extrapolate=options.extrapolate)
        flags = run_harness(submission, cases, options.repeat, FLAGS, bank, extrapolate=options.extrapolate)
        one, several = copies(submission, folder / "one", 1), copies(submission, folder / "class", CLASS)
        alone, again = run_judge(one, small, folder / "out", options)
        _, more = run_judge(one, large, folder / "out", options)
        in_class, _ = run_judge(several, small, folder / "out", options)
        costs += [*alone, *in_class]
        row = Row(
            kind=kind,
            cases=len(bank.cases),
            harness_cases=plain.total,
            harness_passed=plain.passed,
            harness_s=plain.total_s,
            harness_flags_s=flags.total_s,
            judge_alone_s=cpu(alone),
            judge_in_class_s=cpu(in_class) / CLASS,
            harness_case_ms=plain.again_s * 1e3,
            harness_flags_case_ms=flags.again_s * 1e3,
            judge_case_ms=(cpu(more) - cpu(again)) / MORE_CASES * 1e3,
            judge_peak_mb=max(cost.peak_mb for cost in [*alone, *in_class]),
        )
        print(f"{kind}: harness {row.harness_s:.1f} s, judge {row.judge_in_class_s:.2f} s", file=sys.stderr)
        rows.append(row)
    help_runs = [measure([*JUDGE, "--help"], cwd=ROOT) for _ in range(11)]
    return {
        "rows": [{**asdict(row), "ratios": row.ratios()} for row in rows],
        "help_s": statistics.median(run.wall_s for run in help_runs),
        "seed": options.seed,
        "repeat": options.repeat,
        "counted_by": costs[0].counted_by,
        "environment": environment(),
    }


def environment() -> dict[str, str]:
    names = ("jax", "jaxlib", "numpy", "hypothesis", "pydantic")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def save_cases(bank: Bank, file: Path, count: int | None) -> Path:
    """The bank as the harness reads it: arrays, and a manifest that says which is what."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    manifest: list[dict[str, Any]] = []
    for case in bank.cases[:count]:
        inputs: list[dict[str, Any]] = []
        for name, value in case.inputs.items():
            if isinstance(value, np.ndarray):
                arrays[f"{case.id}/input/{name}"] = value
                inputs.append({"array": f"{case.id}/input/{name}"})
            else:
                inputs.append({"value": value})
        arrays.update({f"{case.id}/expected/{key}": value for key, value in case.expected.items()})
        manifest.append({"inputs": inputs, "expected": {key: f"{case.id}/expected/{key}" for key in case.expected}})
    np.savez(file, manifest=np.array(json.dumps(manifest)), **arrays)  # type: ignore[arg-type]  # its stub names a flag
    return file


def copy_problem(folder: Path, more: int) -> Path:
    """A folder of problems with this one, whose bank has `more` fuzzed cases than it says."""
    shutil.copytree(ROOT / "problems" / SLUG, folder / SLUG)
    file = folder / SLUG / "problem.yaml"
    text, found = re.subn(
        r"(?m)^(fuzz:\n(?:.*\n)*?\s+cases: )(\d+)", lambda m: f"{m[1]}{int(m[2]) + more}", file.read_text()
    )
    assert found == 1, f"{file} has no `fuzz: cases:`"
    file.write_text(text)
    return folder


def run_harness(submission: Path, cases: Path, repeat: int, flags: str, bank: Bank, *, extrapolate: bool) -> Harness:
    env = {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "8", "XLA_FLAGS": flags}
    totals, again, told = [], [], {"passed": 0, "total": 0}
    for _ in range(repeat):
        cost = succeeded(measure([sys.executable, Path(__file__).with_name("harness.py"), submission, cases], env=env))
        told = json.loads(cost.stdout.splitlines()[-1])
        known = statistics.median(told["again_s"]) if told["again_s"] else 0.0
        left_out = len(bank.cases) - told["total"]
        totals.append(cost.cpu_s + (left_out * known if extrapolate else 0.0))
        again.append(known)
    return Harness(statistics.median(totals), statistics.median(again), told["passed"], told["total"])


def copies(submission: Path, folder: Path, count: int) -> Path:
    """A class that handed in the same solution, each with a comment of its own, so that none is known from another."""
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(count):
        file = folder / f"s{number:02}" / f"{SLUG}.py"
        file.parent.mkdir(parents=True)
        file.write_bytes(submission.read_bytes() + f"# {number}\n".encode())
    return folder


def run_judge(
    submissions: Path, problems: Path, out: Path, options: argparse.Namespace
) -> tuple[list[Cost], list[Cost]]:
    """Costs of runs with nothing kept, and of runs that find the cases of the run before."""
    command: list[str | Path] = [
        *JUDGE, "--problems", problems, "grade", submissions,
        "--seed", str(options.seed), "--out", out, "--jobs", "1", "--fresh",
    ]  # fmt: skip
    alone, in_class = [], []
    for _ in range(options.repeat):
        shutil.rmtree(out, ignore_errors=True)
        alone.append(succeeded(measure(command, cwd=ROOT)))
        in_class.append(succeeded(measure(command, cwd=ROOT)))
        for result in json.loads((out / "results.json").read_text())["results"]:
            assert result["verdict"] == "accepted", f"{submissions}: {result['verdict']}: {result['reason']}"
    return alone, in_class


def succeeded(cost: Cost) -> Cost:
    assert cost.status == 0, cost.stdout
    return cost


def cpu(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.cpu_s for cost in costs)


HEAD = """\
| submission | harness | same flags | judge, alone | judge, in a class | ratio | same flags | one more case: harness | judge |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


def table(rows: Sequence[dict[str, Any]], report: dict[str, Any]) -> str:
    lines = [HEAD]
    for row in rows:
        cells = [
            row["kind"],
            *(f"{row[key]:.1f} s" for key in ("harness_s", "harness_flags_s", "judge_alone_s", "judge_in_class_s")),
            *(f"{row['ratios'][key]:.1f}" for key in ("in_class", "in_class_with_flags")),
            f"{row['harness_case_ms']:.0f} ms",
            f"{row['judge_case_ms']:.2f} ms",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    first = rows[0]
    counted = f"{first['cases']} cases; CPU seconds of all processes (by {report['counted_by']})"
    lines.append(f"\n{counted}, medians of {report['repeat']}.")
    lines.append(f"The harness ran {first['harness_cases']} cases and passed {first['harness_passed']}.")
    lines.append(f"Peak memory of the judge's own process: {max(row['judge_peak_mb'] for row in rows):.0f} MB.")
    lines.append(f"`judge --help`: {report['help_s']:.2f} s.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
