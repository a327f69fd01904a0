"""Which layers are on, found by trying forbidden things inside the very sandbox and never by reading a configuration."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judge.errors import UsageError
from judge.model.verdict import Verdict
from judge.sandbox.launch import Confinement, refusal
from judge.sandbox.session import ChildEnded, ChildLimits, Session
from judge.sandbox.settings import SandboxSettings

MEBI = 1 << 20
ROOMY = ChildLimits(memory_bytes=2048 * MEBI, output_bytes=256 << 10, wall_factor=3.0, load_s=20.0)
#: What only the filter refuses with EPERM: the kernel itself would do these, or refuse them with another error.
FILTERED = ("fork", "exec", "socket", "memfd", "ptrace", "new user namespace", "affinity of another process")
NO_LANDLOCK = "use Linux 5.13 or newer with Landlock on (lsm=landlock,... in the kernel's command line)"


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer. `remedy` is what turns it on, "" where it is on or nothing is wrong with its being off."""

    name: str
    on: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Layers:
    """All layers: `rlimits`, `landlock`, `seccomp`, `bubblewrap`, `uid`, `limits`. `refusal`: why submissions may not run."""

    layers: tuple[Layer, ...]
    refusal: str = ""

    @property
    def safe(self) -> bool:
        """Whether enough is on to run what strangers wrote: seccomp, Landlock or bubblewrap, and limits."""
        on = {layer.name for layer in self.layers if layer.on}
        return {"seccomp", "limits"} <= on and bool({"landlock", "bubblewrap"} & on)

    def summary(self) -> str:
        """One line for a report: what is on, or that nothing is."""
        on = [layer.name for layer in self.layers if layer.on]
        return ", ".join(on) if self.safe else f"sandbox: off (only {', '.join(on) or 'nothing'})"


def find_layers(settings: SandboxSettings) -> Layers:
    """Start a session as `settings` say, and try what its children must not be able to do.

    Raises:
        UsageError: a layer was insisted on and cannot be had.
        JudgeFault: no child can be started.
    """
    with Session(replace(settings, unsafe=True)) as session:
        return layers_of(session)


def layers_of(session: Session) -> Layers:
    """What holds for the children of a session, which goes on; one whose settings say `unsafe` is told what is missing.

    Raises:
        UsageError: too little confines, and the settings do not say `unsafe`; or a layer was insisted on and cannot be had.
        JudgeFault: no child can be started.
    """
    held = session.confinement()
    results, facts, pid = _attempts(session)
    layers = (
        _rlimits(facts),
        _landlock(results, held),
        _seccomp(results, held),
        _bubblewrap(results, facts, pid, held),
        _uid(facts, held),
        _limits(session),
    )
    found = Layers(layers)
    return found if found.safe else replace(found, refusal=refusal(held))


def require(layers: Layers, *, unsafe: bool) -> None:
    """Refuse to go on where too little confines.

    Raises:
        UsageError: and `unsafe` was not said.
    """
    if not layers.safe and not unsafe:
        off = [f"{layer.name}: {layer.detail}" for layer in layers.layers if not layer.on]
        raise UsageError("\n".join([layers.refusal or "submissions would not be confined", *off]))


def _attempts(session: Session) -> tuple[Mapping[str, str], Mapping[str, Any], int]:
    with tempfile.TemporaryDirectory() as folder, session.open("probe", devices=0, limits=ROOMY) as child:
        # Open to everybody, so that only the sandbox can be what keeps it shut.
        Path(folder).chmod(0o755)
        secret = Path(folder) / "secret"
        secret.write_bytes(b"of the host")
        secret.chmod(0o644)
        asked = {"request": "attempt", "secret": str(secret), "judge": os.getpid()}
        results = child.request(asked, stage="probe", cpu_s=20.0).header["results"]
        facts = child.request({"request": "facts"}, stage="probe", cpu_s=20.0).header["facts"]
        return results, facts, child.pid


def _rlimits(facts: Mapping[str, Any]) -> Layer:
    on = facts["file_bytes"] == 0 and facts["core_bytes"] == 0
    return Layer("rlimits", on, "no files, no core dumps, a ceiling on memory" if on else "they do not hold")


def _landlock(results: Mapping[str, str], held: Confinement) -> Layer:
    # The device is there in every sandbox and open to all; only Landlock can refuse it.
    if results["read a device that is not listed"] == "EACCES":
        return Layer("landlock", True, f"version {held.landlock_abi}: only Python, JAX and the runner can be read")
    return Layer("landlock", False, "files that were not listed can be opened", NO_LANDLOCK)


def _seccomp(results: Mapping[str, str], held: Confinement) -> Layer:
    passed = [name for name in FILTERED if results[name] != "EPERM"]
    if not passed:
        return Layer("seccomp", True, "no new process, program, socket or memory file")
    remedy = "install libseccomp (apt-get install libseccomp2) and pyseccomp (pip install pyseccomp)"
    return Layer("seccomp", False, held.no_seccomp or f"not refused: {', '.join(passed)}", remedy)


def _bubblewrap(results: Mapping[str, str], facts: Mapping[str, Any], pid: int, held: Confinement) -> Layer:
    if results["see a file of the host"] == "ENOENT" and facts["pid"] != pid:
        return Layer("bubblewrap", True, "no files, processes or network of the host exist inside")
    detail = held.no_bubblewrap or "files or processes of the host can be seen"
    return Layer("bubblewrap", False, f"{detail}; sizes and names of files can be seen", held.bubblewrap_remedy)


def _uid(facts: Mapping[str, Any], held: Confinement) -> Layer:
    own = os.getuid() if sys.platform != "win32" else -1
    if facts["uid"] == 0:
        return Layer("uid", False, "submissions run as root", "run the judge as an ordinary user")
    if facts["uid"] == own:
        return Layer("uid", False, f"submissions run as the user who started the judge ({own}), who is not root")
    detail = f"submissions run as {facts['uid']}, whom nothing belongs to"
    if held.keep_read:
        detail += "; Python lies in a folder closed to others, so Landlock alone decides what is read"
    return Layer("uid", True, detail)


def _limits(session: Session) -> Layer:
    tight = {
        Verdict.TIME_LIMIT: ("spin", ROOMY),
        Verdict.OUTPUT_LIMIT: ("flood", replace(ROOMY, output_bytes=4096)),
        Verdict.MEMORY_LIMIT: ("hoard", replace(ROOMY, memory_bytes=128 * MEBI)),
    }
    wrong = []
    for verdict, (request, limits) in tight.items():
        cpu_s = 0.05 if verdict is Verdict.TIME_LIMIT else 20.0
        try:
            with session.open("probe", devices=0, limits=limits) as child:
                child.request({"request": request}, stage="probe", cpu_s=cpu_s)
        except ChildEnded as end:
            if end.ended.verdict is not verdict:
                wrong.append(f"{verdict.value} ended as {end.ended.verdict.value}")
        else:
            wrong.append(f"{verdict.value} did not hold")
    if wrong:
        return Layer("limits", False, "; ".join(wrong), "report it: the judge measures wrongly on this machine")
    return Layer("limits", True, "CPU time, wall time, memory and output are measured from outside")
