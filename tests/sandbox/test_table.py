"""What each layer stops, attempt by attempt, with one layer on, with several, as root and as an ordinary user.

The table is the claim: what is stopped by none of the layers that are on must succeed, or the attempt would show nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from judge.sandbox.layers import FILTERED
from tests.attacks.users import run_as_ordinary, why_not
from tests.support import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux'")

#: The layers each of which stops an attempt alone. Landlock has the version that brought it, 1 where there is none; `uid` is on
#: for a judge that is root.
FILES = {"landlock", "bubblewrap"}
STOPPED_BY: Mapping[str, set[str]] = {
    "read a file of the host": FILES,
    "list a folder of the host": FILES,
    "see a file of the host": {"bubblewrap"},
    "truncate a file of the host": {"seccomp", "landlock 3", "bubblewrap", "uid"},
    "change the mode of a file of the host": {"seccomp", "bubblewrap", "uid"},
    "change the times of a file of the host": {"seccomp", "bubblewrap", "uid"},
    "read a device that is not listed": {"landlock"},
    "write a file": {"rlimits", "landlock", "bubblewrap"},
    "list the processes of the host": FILES,
    "read the judge's environment": FILES | {"uid"},
    "open the judge's memory": FILES | {"uid"},
    "list the judge's descriptors": FILES | {"uid"},
    "copy the judge's memory": {"seccomp", "landlock", "bubblewrap", "uid"},
    "signal the judge": {"seccomp", "landlock 6", "bubblewrap", "uid"},
    "signal the launcher": {"seccomp", "landlock 6"},
    "ptrace": {"seccomp"},
    "affinity of another process": {"seccomp"},
    "priority of another process": {"seccomp"},
    "socket": {"seccomp"},
    "netlink": {"seccomp"},
    "connect over TCP": {"seccomp", "landlock 4", "bubblewrap"},
    "send over UDP": {"seccomp", "bubblewrap"},
    "connect to a socket of the host": {"seccomp", "bubblewrap"},
    "connect to an abstract socket": {"seccomp", "landlock 6", "bubblewrap"},
    "fork": {"seccomp"},
    "exec": {"seccomp"},
    "new user namespace": {"seccomp"},
    "memfd": {"seccomp"},
    "System V memory": {"seccomp"},
    "io_uring": {"seccomp"},
    "perf": {"seccomp"},
    "keyring": {"seccomp"},
    "thread": set(),
    "executable memory": set(),
}
#: What the kernel says of the harmless arguments of these: the call was not stopped before.
REACHED = {
    "exec": "ENOENT",
    "ptrace": "ESRCH",
    "affinity of another process": "ESRCH",
    "priority of another process": "ESRCH",
    "new user namespace": "EINVAL",
    "System V memory": "ENOENT",
    "io_uring": "EFAULT",
    "perf": "EFAULT",
    "keyring": "EFAULT",
}
NONE = {"rlimits": False, "landlock": False, "seccomp": False, "bubblewrap": False}
ALL = {"rlimits": True, "landlock": True, "seccomp": True, "bubblewrap": True}
#: Rows by name; for root, those in which the user alone would have to hide Python are left out.
ROWS: Mapping[str, dict[str, bool]] = {
    "all": ALL,
    "all but bubblewrap": ALL | {"bubblewrap": False},
    "all but landlock": ALL | {"landlock": False},
    "bubblewrap alone": NONE | {"bubblewrap": True},
    "landlock alone": NONE | {"landlock": True},
    "seccomp alone": NONE | {"seccomp": True},
    "rlimits alone": NONE | {"rlimits": True},
    "none": NONE,
}
AS_ROOT = ("all", "all but bubblewrap", "all but landlock", "bubblewrap alone", "landlock alone")


def layers_on(switches: Mapping[str, bool], told: Mapping[str, Any]) -> set[str]:
    on = {name for name, wanted in switches.items() if wanted}
    return on | {f"landlock {version}" for version in range(1, told["landlock"] + 1)}


def succeeded(results: Mapping[str, str]) -> set[str]:
    return {name for name, result in results.items() if result in ("done", REACHED.get(name))}


def held(switches: Mapping[str, bool], done: subprocess.CompletedProcess[str], *more: str) -> None:
    if switches["bubblewrap"] and "bubblewrap" in done.stderr:
        pytest.skip(f"bubblewrap does not work here: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["uid"] != 0
    on = layers_on(switches, told) | set(more)
    assert set(told["results"]) == set(STOPPED_BY)
    assert succeeded(told["results"]) == {name for name, stops in STOPPED_BY.items() if not stops & on}


@pytest.mark.parametrize("row", ROWS)
def test_for_an_ordinary_user_each_layer_stops_what_the_table_says(row: str) -> None:
    if why_not():
        pytest.skip(why_not())
    held(ROWS[row], run_as_ordinary("tests.sandbox.table", json.dumps(ROWS[row])))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")
@pytest.mark.parametrize("row", AS_ROOT)
def test_for_root_each_layer_stops_what_the_table_says(row: str) -> None:
    command = [sys.executable, "-m", "tests.sandbox.table", json.dumps(ROWS[row])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    held(ROWS[row], done, "uid")


def test_what_tells_that_seccomp_is_on_is_stopped_by_seccomp_alone() -> None:
    assert all(STOPPED_BY[name] == {"seccomp"} for name in FILTERED)
