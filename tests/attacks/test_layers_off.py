"""The attacks with layers switched off: some of them now succeed, or the suite beside this file would test nothing.

Only the live run is made, since that is where attacks act. The layers overlap, so one alone that is off opens little: the
table says what. As root the sandbox drops to a user of its own, and files of the judge's stay closed even so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.attacks.users import run_as_ordinary, why_not
from tests.support import ROOT

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux'"),
    pytest.mark.long("runs ten attacks with each layer off in turn"),
]
#: Some that take little time, of all the ways out. Those that fill memory are left out: how far they get hangs on the machine.
ATTACKS = (
    "01_read_judge_files",
    "03_parent_proc_mem",
    "04_parent_vm_readv",
    "07_pidfd_steal_fds",
    "19_user_namespace",
    "38_write_where_it_matters",
    "45_read_protocol",
    "122_terminal_input",
    "reaches_for_neighbours",
    "inherited_descriptors",
)
READS = {"01_read_judge_files", "03_parent_proc_mem"}
PROCESSES = {"19_user_namespace", "reaches_for_neighbours"}
TRACES = {"04_parent_vm_readv", "07_pidfd_steal_fds"}

#: Layers off, and the attacks that then succeed for a judge that is an ordinary user: the sandbox's user is the judge's.
AS_ORDINARY: dict[tuple[str, ...], set[str]] = {
    (): set(),
    ("landlock",): set(),
    ("rlimits",): set(),
    ("bubblewrap",): set(),
    ("seccomp",): PROCESSES,
    ("bubblewrap", "landlock"): READS | {"reaches_for_neighbours"},
    ("landlock", "seccomp"): PROCESSES | TRACES,
    ("rlimits", "landlock", "seccomp", "bubblewrap"): READS | PROCESSES | TRACES,
}
#: The same for root. What Landlock alone keeps shut (a Python in root's own folder) is refused without it.
AS_ROOT: dict[tuple[str, ...], set[str]] = {
    (): set(),
    ("landlock",): set(),
    ("rlimits",): set(),
    ("bubblewrap",): set(),
    ("seccomp",): PROCESSES,
    ("bubblewrap", "seccomp"): PROCESSES,
}


def ids(value: object) -> str:
    return " and ".join(value) or "none" if isinstance(value, tuple) else ""


def breached(done: subprocess.CompletedProcess[str], off: Sequence[str]) -> set[str]:
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["uid"] != 0
    if "bubblewrap" not in off and not told["bubblewrap"]:
        pytest.skip("bubblewrap does not work here, so every row lacks that layer")
    assert set(told["breach"]) == set(ATTACKS)
    # What is kept of a submission says so, too.
    assert told["confined"] == ("seccomp" not in off and not {"landlock", "bubblewrap"} <= set(off))
    return {name for name, found in told["breach"].items() if found}


def order(off: Sequence[str], *, unsafe: bool = True) -> str:
    return json.dumps({"off": off, "attacks": ATTACKS, "unsafe": unsafe})


@pytest.mark.parametrize(("off", "succeed"), AS_ORDINARY.items(), ids=ids)
def test_for_an_ordinary_user_these_attacks_succeed_without_these_layers(
    off: tuple[str, ...], succeed: set[str]
) -> None:
    if why_not():
        pytest.skip(why_not())
    assert breached(run_as_ordinary("tests.attacks.range", order(off)), off) == succeed


@pytest.mark.parametrize("off", [("bubblewrap", "landlock"), ("seccomp",)], ids=ids)
def test_an_ordinary_user_is_refused_where_too_little_confines(off: tuple[str, ...]) -> None:
    if why_not():
        pytest.skip(why_not())
    done = run_as_ordinary("tests.attacks.range", order(off, unsafe=False))
    assert done.returncode != 0
    assert "submissions would not be confined" in done.stderr
    assert "--unsafe" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")
@pytest.mark.parametrize(("off", "succeed"), AS_ROOT.items(), ids=ids)
def test_for_root_these_attacks_succeed_without_these_layers(off: tuple[str, ...], succeed: set[str]) -> None:
    command = [sys.executable, "-m", "tests.attacks.range", order(off)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert breached(done, off) == succeed
