"""What a session is asked for: which layers, which Python, and the limits of a child. Values only."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["live", "export", "program", "inspection", "probe"]

#: XLA's options: cheap to compile (a quarter of the default), and talkative about a stuck collective. Its own termination is
#: set above every limit of ours, so that our clock decides. Those that a jaxlib does not know are left out.
FLAGS = (
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_backend_optimization_level=0",
    "--xla_cpu_parallel_codegen_split_count=1",
    "--xla_cpu_collective_call_warn_stuck_timeout_seconds=2",
    "--xla_cpu_collective_call_terminate_timeout_seconds=86400",
)


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """Switches of the layers, all on by default. Those that turn one off are for tests and for `--unsafe`.

    Attributes:
        python: the interpreter; its environment must hold JAX.
        rlimits, landlock, seccomp: the parts of layer A.
        bubblewrap: None uses it where it works, True insists, False leaves it out.
        drop_root: run as an unused uid when the judge is root.
        unsafe: go on where nothing confines.
        start_s: wall seconds until a launcher or a child must be ready; else the judge is at fault.
        lifetime_cpu_s: CPU seconds of a child's whole life, enforced by the kernel behind our own measuring.
        poll_s: how often memory and CPU are looked at.
        flags: XLA's, see `FLAGS`.
        handlers: further kinds of child, (kind, "module:Class"); `paths` is where Python finds them.
        paths: folders, readable inside, that are added to the module path.
        executables: files of `judge.sandbox.executables`: what children need not compile.
    """

    python: Path = Path(sys.executable)
    rlimits: bool = True
    landlock: bool = True
    seccomp: bool = True
    bubblewrap: bool | None = None
    drop_root: bool = True
    unsafe: bool = False
    start_s: float = 120.0
    lifetime_cpu_s: float = 3600.0
    poll_s: float = 0.02
    flags: tuple[str, ...] = FLAGS
    handlers: tuple[tuple[str, str], ...] = ()
    paths: tuple[Path, ...] = ()
    executables: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Limits of one child.

    Attributes:
        memory_bytes: resident, the interpreter and JAX (about 170 MB) included.
        output_bytes: of standard output; also what is kept of each stream. Standard error may hold 256 times as much.
        wall_factor: a request may take this many times its CPU seconds on the clock.
        load_s: CPU seconds of loading; what `load` requests should pass as `cpu_s`.
    """

    memory_bytes: int
    output_bytes: int
    wall_factor: float
    load_s: float
