"""Layer B: the distribution's bubblewrap around a launcher, so that what is not mounted does not exist.

No /proc is mounted: bubblewrap's own memory still holds its environment, and the same command then works in containers that
allow namespaces but not a new /proc. Without --die-with-parent, which fires when the *thread* that started bubblewrap ends:
the launcher is process 1 inside and ends when the judge's socket closes, and its PID namespace dies with it.
"""

from __future__ import annotations

import os
import subprocess
from functools import lru_cache
from pathlib import Path

from judge.sandbox.places import Places

BWRAP = "/usr/bin/bwrap"
INSTALL = "install it: apt-get install bubblewrap"
APPARMOR = (
    "allow it on Ubuntu 24.04: write `abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap "
    "flags=(unconfined) { userns, }` to /etc/apparmor.d/bwrap and run: systemctl reload apparmor"
)
CONTAINER = (
    "in a container it needs --security-opt seccomp=unconfined (and apparmor=unconfined on AppArmor hosts); without it, "
    "run the container with --network none --memory and --pids-limit"
)


def arguments(places: Places) -> list[str]:
    """The command line up to the program that runs inside."""
    line = [BWRAP, "--unshare-ipc", "--unshare-net", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    line += ["--new-session", "--as-pid-1", "--cap-drop", "ALL", "--hostname", "judge"]
    if os.geteuid() == 0:
        # No user namespace: the launcher drops to an unused uid of the host by itself, and gives these up with it.
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"):
            line += ["--cap-add", capability]
    else:
        line += ["--unshare-user"]
    line += ["--dev", "/dev"]
    for folder in _parents(places):
        line += ["--perms", "0755", "--dir", folder]
    for path in (*places.trees, *places.packages):
        if not path.startswith("/dev/"):
            line += ["--ro-bind", path, path]
    for path, target in places.links:
        line += ["--symlink", target, path]
    for package in places.packages:
        own = os.path.join(package, "judge")
        if os.path.isdir(own):
            # The judge is installed beside JAX: nothing of it but the runner is there for students.
            line += ["--tmpfs", own]
    for path in places.runner:
        line += ["--ro-bind", path, path]
    line += [item for package in places.packages for item in _sealed(os.path.join(package, "judge"))]
    return [*line, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]


def _parents(places: Places) -> list[str]:
    """Every folder above something mounted, outermost first: bubblewrap would make them for its own user alone."""
    ends = [*places.everything(), *(path for path, _ in places.links)]
    folders = {str(parent) for path in ends if not path.startswith("/dev/") for parent in Path(path).parents}
    return sorted(folders - {"/"})


def _sealed(own: str) -> list[str]:
    return ["--remount-ro", own] if os.path.isdir(own) else []


@lru_cache(maxsize=8)
def fails(places: Places, program: tuple[str, ...]) -> tuple[str, str] | None:
    """None where bubblewrap can run `program`; else what it says, and what to do about it."""
    if not os.access(BWRAP, os.X_OK):
        return f"{BWRAP} is not installed", INSTALL
    try:
        done = subprocess.run([*arguments(places), *program], capture_output=True, timeout=30, env={}, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not start: {type(error).__name__}", INSTALL
    if done.returncode == 0:
        return None
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300] or f"exit status {done.returncode}"
    container = os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv")
    return f"bubblewrap fails: {said}", CONTAINER if container else APPARMOR
