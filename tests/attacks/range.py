"""A firing range: the whole judge, with plants around it for attacks to find, and a look at what they left behind.

Run as a program it takes layers off and prints what became of each attack's live run, and whether a record of the control says
that it was confined, so that it can be started as another user:

    python -m tests.attacks.range '{"off": ["seccomp"], "attacks": ["19_user_namespace"], "unsafe": true}'
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from judge import bank as banks
from judge.assess import Context, assess
from judge.errors import JudgeFault
from judge.load.problems import load_problems
from judge.load.submissions import find_submissions
from judge.model.case import Bank
from judge.model.outcome import Usage
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.oracle.client import Oracle
from judge.runner.wire import Buffer, Message
from judge.sandbox import runs
from judge.sandbox.session import Child, ChildLimits, Session
from judge.sandbox.settings import Kind, SandboxSettings
from tests.attacks.labels import LABELLED, OWN, source
from tests.support import ROOT

SLUG = "shard-map-step"
CONTROL = LABELLED / "00_control_honest.py"
#: Tight, so that those who sleep or spin are ended soon.
LIMITS = {"load_s": 6.0, "first_call_s": 6.0, "call_s": 6.0, "program_s": 10.0, "wall_factor": 3.0, "memory_mb": 1500}
SYSTEM_V_KEY = 0x5B0A11AC
CANARY = "JUDGE-CANARY\n"
OFF = ("rlimits", "landlock", "seccomp")


@dataclass(frozen=True, slots=True)
class Shot:
    """What one attack came to: the record, all that its processes wrote, and how late each answer was (seconds)."""

    record: Record
    output: bytes
    late_s: float
    usages: tuple[Usage, ...]


class _Timed:
    """A child that notes by how much each request took longer on the clock than it may."""

    def __init__(self, child: Child, limits: ChildLimits) -> None:
        self.child = child
        self.late_s = 0.0
        self._factor = limits.wall_factor

    def __getattr__(self, name: str) -> Any:
        return getattr(self.child, name)

    def request(
        self, header: Mapping[str, Any], buffers: Sequence[Buffer] = (), *, stage: str, cpu_s: float
    ) -> Message:
        started = time.monotonic()
        try:
            return self.child.request(header, buffers, stage=stage, cpu_s=cpu_s)
        finally:
            self.late_s = max(self.late_s, time.monotonic() - started - cpu_s * self._factor)


class Watched(Session):
    """A session that keeps every child it opened."""

    def __init__(self, settings: SandboxSettings) -> None:
        super().__init__(settings)
        self.opened: list[_Timed] = []

    def open(self, kind: Kind | str, *, devices: int, limits: ChildLimits) -> Child:
        child = _Timed(super().open(kind, devices=devices, limits=limits), limits)
        self.opened.append(child)
        return cast(Child, child)


def problem_in(folder: Path) -> Problem:
    """A copy of the problem with tight limits and few cases, in a folder of the judge's own."""
    shutil.copytree(ROOT / "problems" / SLUG, folder / SLUG)
    problem = load_problems(folder)[0][SLUG]
    spec = problem.spec
    visible = [one for one in spec.cases if one.visible][:1]
    hidden = [one for one in spec.cases if not one.visible][:1]
    fuzz = spec.fuzz.model_copy(update={"cases": 12, "shapes": spec.fuzz.shapes[4:5]})
    limits = spec.limits.model_copy(update=LIMITS)
    few = spec.model_copy(update={"limits": limits, "fuzz": fuzz, "cases": (*visible, *hidden)})
    return problem.model_copy(update={"spec": few})


class Range:
    """The judge's folders with canaries in them, listeners, and one session."""

    def __init__(self, folder: Path, settings: SandboxSettings) -> None:
        self.folder = folder
        self._submissions = folder / "submissions"
        self._listeners = list(_plants(folder, self._submissions))
        self.problem = problem_in(folder / "problems")
        (folder / "problems" / SLUG / "expected.txt").write_text(CANARY)
        self.oracle = Oracle(self.problem)
        self.bank: Bank = banks.draw_bank(self.problem, 1, self.oracle)
        self.session = Watched(settings)

    def close(self) -> None:
        self.session.close()
        self.oracle.close()
        for listener in self._listeners:
            listener.close()

    def submission(self, program: Path) -> Submission:
        """A program as a student hands it in, with somebody else's beside it."""
        place = self._submissions / "attacker" / f"{SLUG}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(source(program))
        (found,) = find_submissions([place], [SLUG], problem=SLUG).submissions
        return found

    def judge(self, program: Path) -> Shot:
        """The whole assessment."""
        self.session.opened.clear()
        context = Context(self.problem, self.bank, self.oracle, self.session, budget=40)
        record = assess(context, self.submission(program))
        opened = self.session.opened
        output = b"".join(one.child.stdout + one.child.stderr for one in opened)
        late_s = max((one.late_s for one in opened), default=0.0)
        return Shot(record, output, late_s, tuple(one.child.usage() for one in opened))

    def live_output(self, program: Path) -> bytes:
        """All that the live run of the examples wrote. A launcher that was taken along writes no more."""
        calls = [(case.id, case) for case in self.bank.cases if case.group == "examples"][:1]
        self.session.opened.clear()
        with contextlib.suppress(JudgeFault):
            runs.run_live(self.session, self.problem, self.submission(program), calls, want_modules=False)
        return b"".join(one.child.stdout + one.child.stderr for one in self.session.opened)


def _plants(folder: Path, submissions: Path) -> Iterator[socket.socket]:
    results = folder / "results" / ".judge"
    results.mkdir(parents=True)
    for place in (folder, results):
        (place / "hidden-answers.json").write_text(CANARY)
    other = submissions / "honest"
    other.mkdir(parents=True)
    (other / f"{SLUG}.py").write_bytes(CONTROL.read_bytes())
    tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Whoever has the port already listens there as well.
    with contextlib.suppress(OSError):
        tcp.bind(("127.0.0.1", 8000))
        tcp.listen()
    yield tcp
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    unix.bind(str(folder / "judge.socket"))
    unix.listen()
    yield unix


@contextlib.contextmanager
def opened_range(settings: SandboxSettings) -> Iterator[Range]:
    """A range in a folder of its own under the temporary one, with the working directory in it."""
    before = Path.cwd()
    folder = Path(tempfile.mkdtemp(prefix="judge-range-"))
    os.environ["JUDGE_CANARY"] = "1"
    os.chdir(folder)
    found = Range(folder, settings)
    try:
        yield found
    finally:
        found.close()
        os.chdir(before)
        del os.environ["JUDGE_CANARY"]
        shutil.rmtree(folder, ignore_errors=True)


def processes() -> dict[int, tuple[int, str]]:
    """(uid, name) of every process that is no zombie, by pid."""
    found: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
                if rest.split()[0] not in ("Z", "X"):
                    found[int(entry.name)] = (entry.stat().st_uid, name)
    return found


def survivors(session: Session, *, patience_s: float = 1.0) -> list[str]:
    """Daemons, and processes of the sandbox's user beside the launcher, that are there after `patience_s`."""
    uid = session.confinement().uid
    launcher = session._launcher
    assert launcher is not None, "the session was just asked"
    known = {launcher.pid}
    limit = time.monotonic() + patience_s
    while True:
        # Without a user of their own, those of the sandbox cannot be told by it.
        left = [
            f"{pid} {name}"
            for pid, (owner, name) in processes().items()
            if "atk-daemon" in name or (uid != os.getuid() and owner == uid and pid not in known)
        ]
        if not left or time.monotonic() > limit:
            return left
        time.sleep(0.05)


def droppings(folder: Path) -> set[str]:
    """Files named `atk*` where a program could leave them, and System V objects with the programs' key."""
    home = Path.home()
    flat = [Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), home, Path("/"), Path(sys.prefix), LABELLED.parents[2]]
    flat += [Path(path) for path in sys.path if path]
    found: set[str] = set()
    for place in flat:
        with contextlib.suppress(OSError):
            found |= {str(path) for path in place.glob("atk*")}
    found |= {str(path) for path in folder.rglob("atk*")}
    for table in ("shm", "msg", "sem"):
        with contextlib.suppress(OSError):
            rows = Path(f"/proc/sysvipc/{table}").read_text().splitlines()[1:]
            found |= {f"System V {table}" for row in rows if int(row.split()[0]) & 0xFFFFFFFF == SYSTEM_V_KEY}
    return found


def reset_peak() -> None:
    """Forget the greatest resident size of this process, where the kernel allows that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def settings_without(off: Sequence[str], *, unsafe: bool) -> SandboxSettings:
    switched = {name: name not in off for name in OFF}
    bubblewrap = False if "bubblewrap" in off else None
    return replace(SandboxSettings(unsafe=unsafe), bubblewrap=bubblewrap, **switched)  # type: ignore[arg-type]  # bools


def find(name: str) -> Path:
    return next(path for path in (LABELLED / f"{name}.py", OWN / f"{name}.py") if path.exists())


def main(order: str) -> None:
    asked = json.loads(order)
    told: dict[str, bool] = {}
    with opened_range(settings_without(asked["off"], unsafe=asked["unsafe"])) as found:
        uid = found.session.confinement().uid
        boxed = found.session.confinement().bubblewrap
        for name in asked["attacks"]:
            told[name] = b"BREACH" in found.live_output(find(name))
        confined = found.judge(CONTROL).record.confined
    sys.stdout.write(json.dumps({"uid": uid, "bubblewrap": boxed, "confined": confined, "breach": told}) + "\n")


def as_terminal(record: Record) -> str:
    """One record as `judge check` prints it to a terminal of no colours."""
    from rich.console import Console

    from judge.model.problem import Spec
    from judge.reports import own, terminal
    from tests.support.authored import STEP_SPEC

    file = io.StringIO()
    console = Console(file=file, width=100, force_terminal=False)
    own.show(console, record, Spec.model_validate(STEP_SPEC), record.counterexample)
    terminal.show_class(console, [record])
    return file.getvalue()


if __name__ == "__main__":
    main(sys.argv[1])
