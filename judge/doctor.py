"""What is on, what is off, and the command that cures it. Data; the command line prints it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from judge.errors import JudgeFault, UsageError
from judge.sandbox.layers import ROOMY, Layers, find_layers
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings

PACKAGES = ("jax", "jaxlib", "numpy", "hypothesis", "flatbuffers", "pyseccomp")
REQUIRED = frozenset({"jax", "jaxlib", "numpy", "hypothesis", "flatbuffers"})
DEVICES = 8
GIB = 1 << 30
#: A child of the default limits, its launcher, and the judge.
MEMORY_BYTES = 3 * GIB
DISK_BYTES = GIB // 2
#: What a container may use, in the two hierarchies of control groups.
CEILINGS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True, slots=True)
class Warned:
    """Something is off or short: what, and the command or step that cures it."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The machine as a place to judge on.

    Attributes:
        layers: of the sandbox, as tried; empty where no child could be started.
        devices: CPU devices that a child got when it asked for 8; 0 where it got none.
        versions: of Python and the packages; "" for one that is not installed.
        memory_bytes: (available, total); 0 where the system does not tell.
        disk_bytes: free where results would be written.
        warnings: in the order of their weight.
        safe: whether submissions of strangers may run here.
    """

    layers: Layers
    devices: int
    versions: Mapping[str, str]
    memory_bytes: tuple[int, int]
    disk_bytes: int
    warnings: tuple[Warned, ...]
    safe: bool


def diagnose(settings: SandboxSettings, *, folder: Path | None = None) -> Diagnosis:
    """Try everything once. `folder` is where results would be written; the working directory by default.

    Raises nothing on purpose: what cannot be tried is a warning, and then nothing is safe.
    """
    warnings: list[Warned] = []
    layers, devices = Layers(()), 0
    try:
        layers = find_layers(settings)
        devices = _devices(settings)
    except (JudgeFault, UsageError) as error:
        warnings.append(Warned(f"the sandbox cannot be tried: {error}", "see above; then run: judge doctor"))
    if layers.layers and not layers.safe:
        warnings.append(Warned(layers.refusal, "turn on what is off below, or use the container"))
    warnings += [
        Warned(f"{one.name} is off: {one.detail}", one.remedy) for one in layers.layers if not one.on and one.remedy
    ]
    versions = {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}
    warnings += [
        Warned(f"{name} is not installed", f"python -m pip install {name}")
        for name in sorted(REQUIRED)
        if not versions[name]
    ]
    memory = _memory()
    disk = shutil.disk_usage(folder or Path.cwd()).free
    if 0 < memory[0] < MEMORY_BYTES:
        warnings.append(Warned(f"{memory[0] // GIB} GiB of memory are free; a job may need 3", "grade with --jobs 1"))
    if disk < DISK_BYTES:
        warnings.append(Warned(f"{disk >> 20} MiB of disk are free", "make room, or write elsewhere with --out"))
    return Diagnosis(layers, devices, versions, memory, disk, tuple(warnings), layers.safe and devices == DEVICES)


def _devices(settings: SandboxSettings) -> int:
    with Session(settings) as session, session.open("probe", devices=DEVICES, limits=ROOMY):
        # A child that is open has counted its devices.
        return DEVICES


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _ceiling() -> int:
    """Bytes that a container may use; endless where nothing limits it."""
    for file in CEILINGS:
        try:
            return int(Path(file).read_text())
        except (OSError, ValueError):
            # The other hierarchy of control groups, or the word `max`.
            continue
    return sys.maxsize


def _memory() -> tuple[int, int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
        free, total = kib["MemAvailable"] * 1024, kib["MemTotal"] * 1024
        return min(free, _ceiling()), min(total, _ceiling())
    except (OSError, KeyError, ValueError, IndexError):
        pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
        return 0, pages * (os.sysconf("SC_PAGE_SIZE") if pages else 0)
