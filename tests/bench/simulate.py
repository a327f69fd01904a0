"""How long a course of 100,000 submissions takes on 1 to 1024 workers, and where one scheduler becomes the limit.

    python tests/bench/simulate.py [--submissions 100000] [--costs costs.json] [--json simulation.json]

The run is simulated; what goes into it is measured here first, or read from `--costs`, a file that `--json` wrote:

- what a submission costs a worker: CPU seconds of the sandbox for each of those that ship (`usage` in results.json), and a share
  of what the judge itself and the oracles spend on them;
- what a task costs the scheduler and the judge that hands it out: CPU seconds a task, by tasks that do nothing but give a real
  record back, which the judge reads and stores as it does in a run; and how long one such task takes on its way;
- what a worker does before its first task: trying the layers of its sandbox.

A worker is one core as fast as those measured. Costs are drawn from the measured ones, by a seed. The scheduler and the judge
serve one task at a time, in the order in which tasks end.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from judge import store  # noqa: E402  the checkout is put on the path first
from judge.sandbox.layers import find_layers  # noqa: E402
from judge.sandbox.settings import SandboxSettings  # noqa: E402
from tests.bench.measure import measure  # noqa: E402
from tests.support.cluster import grid  # noqa: E402

WORKERS = tuple(2**power for power in range(11))
TASKS = 2000
ALONE = 100
JUDGE = [sys.executable, "-c", "from judge.cli import main; main()"]


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds: of each submission on a worker, of a task at the scheduler, at the judge and on its way, of a worker's start."""

    submissions: tuple[float, ...]
    scheduler_s: float
    judge_s: float
    way_s: float
    start_s: float


@dataclass(frozen=True, slots=True)
class Run:
    """A simulated run: how long it takes, and which share of that the workers, the scheduler and the judge are busy."""

    workers: int
    seconds: float
    workers_busy: float
    scheduler_busy: float
    judge_busy: float


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--costs", type=Path, help="take the costs from a file that --json wrote, and measure nothing")
    parser.add_argument("--json", type=Path, help="write the costs and the simulated runs here")
    options = parser.parse_args()
    costs = read(options.costs) if options.costs else measured()
    runs = [simulate(costs, options.submissions, workers, options.seed) for workers in WORKERS]
    print(table(costs, runs))
    if options.json:
        report = {"costs": asdict(costs), "submissions": options.submissions, "runs": [asdict(run) for run in runs]}
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def read(file: Path) -> Costs:
    costs = json.loads(file.read_text())["costs"]
    return Costs(**{**costs, "submissions": tuple(costs["submissions"])})


def measured() -> Costs:
    with tempfile.TemporaryDirectory(prefix="judge-simulate-") as name:
        folder = Path(name)
        submissions = of_submissions(folder / "results")
        scheduler_s, judge_s, way_s = of_tasks(folder)
    started = time.monotonic()
    find_layers(SandboxSettings())
    return Costs(submissions, scheduler_s, judge_s, way_s, time.monotonic() - started)


def of_submissions(out: Path) -> tuple[float, ...]:
    """CPU seconds of each shipped submission, the judge's own spread evenly; the cases are drawn before."""
    command: list[str | Path] = [*JUDGE, "--quiet", "grade", "submissions", "--seed", "1", "--jobs", "1", "--out", out]
    for more in ([], ["--fresh"]):
        cost = measure([*command, *more], cwd=ROOT)
        assert cost.status == 0, cost.stdout
    inside = [record.usage["cpu_s"] for record in store.read_results(out)[1]]
    own = (cost.cpu_s - sum(inside)) / len(inside)
    return tuple(seconds + own for seconds in inside)


def of_tasks(folder: Path) -> tuple[float, float, float]:
    """CPU seconds a task at the scheduler and at the judge, and the seconds that one task alone is on its way."""
    from distributed import Client

    from judge.executors import remote

    record = json.dumps(store.read_results(folder / "results")[0]["results"][1]).encode()
    kept = store.Store(folder / "kept")
    kept.open()
    with grid(folder / "grid") as made:
        made.worker()
        made.worker()
        with Client(made.address, serializers=["msgpack"], deserializers=["msgpack", "error"]) as client:
            client.wait_for_workers(2)
            addresses = list(client.nthreads())

            def send(number: int) -> Any:
                where = [addresses[number % len(addresses)]]
                return client.submit(remote.hold, record, key=f"simulate-{number}", workers=where, pure=False)

            ways = []
            for number in range(ALONE):
                started = time.monotonic()
                send(number).result()
                ways.append(time.monotonic() - started)
            before = time.process_time(), cpu_s(made.scheduler.pid)
            # As many at once as a run holds: what waits is not handed out.
            for start in range(ALONE, ALONE + TASKS, 50):
                for data in client.gather([send(number) for number in range(start, start + 50)]):
                    kept.keep(store.from_json(json.loads(data)))
            after = time.process_time(), cpu_s(made.scheduler.pid)
    return (after[1] - before[1]) / TASKS, (after[0] - before[0]) / TASKS, statistics.median(ways)


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def simulate(costs: Costs, submissions: int, workers: int, seed: int) -> Run:
    """One run. Each end of a task passes the scheduler, then the judge, which stores the record and hands out the next one."""
    draw = random.Random(seed)
    left, scheduler_free, judge_free, work = submissions, 0.0, 0.0, 0.0
    # A worker that is ready is one whose task of no cost ends.
    ends = [costs.start_s] * min(workers, submissions)
    heapq.heapify(ends)
    while ends:
        end = heapq.heappop(ends)
        scheduler_free = max(end, scheduler_free) + costs.scheduler_s
        judge_free = max(scheduler_free, judge_free) + costs.judge_s
        if left:
            left -= 1
            cost = draw.choice(costs.submissions)
            work += cost
            heapq.heappush(ends, judge_free + costs.way_s + cost)
    served = submissions + min(workers, submissions)
    return Run(
        workers=workers,
        seconds=judge_free,
        workers_busy=work / (judge_free * workers),
        scheduler_busy=served * costs.scheduler_s / judge_free,
        judge_busy=served * costs.judge_s / judge_free,
    )


def table(costs: Costs, runs: Sequence[Run]) -> str:
    mean = statistics.mean(costs.submissions)
    slowest = max(costs.scheduler_s, costs.judge_s)
    told = (
        f"a submission costs a worker {mean:.2f} s ({min(costs.submissions):.2f} to {max(costs.submissions):.2f}); a task "
        f"costs the scheduler {costs.scheduler_s * 1e3:.2f} ms and the judge {costs.judge_s * 1e3:.2f} ms, and is "
        f"{costs.way_s * 1e3:.1f} ms on its way; a worker needs {costs.start_s:.1f} s to start"
    )
    lines = [
        told,
        "",
        "| workers | time | workers busy | scheduler busy | judge busy |",
        "|--:|--:|--:|--:|--:|",
    ]
    for run in runs:
        shares = (run.workers_busy, run.scheduler_busy, run.judge_busy)
        busy = " | ".join(f"{share:.0%}" for share in shares)
        lines.append(f"| {run.workers} | {spelled(run.seconds)} | {busy} |")
    name = "scheduler" if costs.scheduler_s >= costs.judge_s else "judge"
    lines += [
        "",
        f"beyond {mean / slowest:.0f} workers the {name} is the limit: {1 / slowest:.0f} submissions a second",
    ]
    return "\n".join(lines)


def spelled(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours} h {rest // 60:02} min" if hours else f"{rest // 60} min {rest % 60:02} s"


if __name__ == "__main__":
    main()
