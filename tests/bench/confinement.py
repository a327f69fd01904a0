"""What the confinement costs a child, layer by layer, in one run.

    python tests/bench/confinement.py [--repeat 40]

Children without devices are opened and closed, in turn under each set of layers, so that whatever else the machine does meets all
alike. `wall` and `CPU` are medians in milliseconds, from the opening of a child to its end, and of the child alone; `more` is the
CPU time that the layers add to a child with the fewest, and `a submission` the same for the three children that serve one. A
launcher is started once a session: bubblewrap costs that start alone.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from judge.errors import JudgeFault, UsageError  # noqa: E402  the checkout is put on the path first
from judge.sandbox.layers import ROOMY  # noqa: E402
from judge.sandbox.session import Session  # noqa: E402
from judge.sandbox.settings import SandboxSettings  # noqa: E402

CHILDREN = 3
NONE = SandboxSettings(rlimits=False, landlock=False, seccomp=False, bubblewrap=False, unsafe=True)
#: As root without bubblewrap, Landlock may be what lets Python be read at all; then `none` is not to be had.
SETS = {
    "none": NONE,
    "bubblewrap": replace(NONE, bubblewrap=True),
    "bubblewrap, rlimits": replace(NONE, bubblewrap=True, rlimits=True),
    "bubblewrap, landlock": replace(NONE, bubblewrap=True, landlock=True),
    "bubblewrap, seccomp": replace(NONE, bubblewrap=True, seccomp=True),
    "rlimits, landlock, seccomp": replace(NONE, rlimits=True, landlock=True, seccomp=True),
    "all": SandboxSettings(bubblewrap=True),
}


def main(repeat: int) -> None:
    with ExitStack() as stack:
        sessions: dict[str, Session] = {}
        starts: dict[str, float] = {}
        for name, settings in SETS.items():
            session = stack.enter_context(Session(settings))
            started = time.perf_counter()
            try:
                session.confinement()
            except (JudgeFault, UsageError) as error:
                print(f"left out: {name}: {error}")
                continue
            sessions[name], starts[name] = session, time.perf_counter() - started
        walls: dict[str, list[float]] = {name: [] for name in sessions}
        cpus: dict[str, list[float]] = {name: [] for name in sessions}
        for _ in range(repeat):
            for name, session in sessions.items():
                wall_s, cpu_s = one_child(session)
                walls[name].append(wall_s)
                cpus[name].append(cpu_s)
    table(walls, cpus, starts)


def one_child(session: Session) -> tuple[float, float]:
    """Seconds on the clock and of CPU of one child, from its opening to its end."""
    started = time.perf_counter()
    with session.open("probe", devices=0, limits=ROOMY) as child:
        pass
    return time.perf_counter() - started, child.usage().cpu_s


def table(walls: dict[str, list[float]], cpus: dict[str, list[float]], starts: dict[str, float]) -> None:
    wall = {name: 1000 * statistics.median(values) for name, values in walls.items()}
    cpu = {name: 1000 * statistics.median(values) for name, values in cpus.items()}
    least = min(cpu.values())
    print(f"{'layers':28} {'launcher':>9} {'wall':>7} {'CPU':>7} {'more':>7} {'a submission':>13}   (ms)")
    for name, median in wall.items():
        more = cpu[name] - least
        print(
            f"{name:28} {1000 * starts[name]:9.0f} {median:7.1f} {cpu[name]:7.1f} {more:7.1f} {CHILDREN * more:13.1f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What the confinement costs a child, layer by layer.")
    parser.add_argument("--repeat", type=int, default=40)
    main(parser.parse_args().repeat)
