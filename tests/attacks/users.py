"""Run a module of the tests as an ordinary user: this one, or for root one who owns nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

from judge.sandbox.places import closed
from tests.support import ROOT

#: None of the users that the sandbox takes, and of no entry in the system's list.
ORDINARY = 61999


def command(module: str, *arguments: str) -> list[str]:
    """The command line. For root it opens, in mounts of its own, the closed folder that Python may lie in."""
    line = [sys.executable, "-m", module, *arguments]
    if os.geteuid() != 0:
        return line
    become = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", *line]
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", f"{_opened()}exec {shlex.join(become)}"]


def run_as_ordinary(module: str, *arguments: str, timeout_s: float = 300.0) -> subprocess.CompletedProcess[str]:
    home = {"HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    kept = {name: os.environ[name] for name in ("CI",) if name in os.environ}
    return subprocess.run(
        command(module, *arguments),
        cwd=ROOT,
        env=home | kept,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )


@cache
def why_not() -> str:
    """Why nothing can be run as an ordinary user here; empty where it can."""
    try:
        done = run_as_ordinary("judge.runner.wire")
    except OSError as error:
        return f"an ordinary user cannot be had: {error}"
    return "" if done.returncode == 0 else f"an ordinary user cannot run the judge: {done.stderr.strip()[-200:]}"


def _opened() -> str:
    prefix = Path(sys.base_prefix).resolve()
    shut = closed(str(prefix), whole_way=True)
    if shut is None:
        return ""
    hold = '"$hold"'
    return (
        f"hold=$(mktemp -d); mount --bind {prefix} {hold}; mount -t tmpfs -o mode=755 none {shut}; "
        f"mkdir -p {prefix}; mount --bind {hold} {prefix}; "
    )
