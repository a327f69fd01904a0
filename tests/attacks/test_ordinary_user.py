"""The attacks once more, for a judge that is not root: the sandbox's user is then the judge's own."""

from __future__ import annotations

import os
import re
import sys

import pytest

from tests.attacks.labels import LABELLED, OWN, programs
from tests.attacks.users import run_as_ordinary, why_not

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux'"),
    pytest.mark.long("attacks the judge with some ninety programs, twice as root and twice as an ordinary user"),
]
#: With bubblewrap and without.
WAYS = 2


@pytest.mark.skipif(os.geteuid() != 0, reason="whoever is no root has run the attacks as an ordinary user already")
def test_no_attack_succeeds_against_a_judge_that_is_an_ordinary_user() -> None:
    if why_not():
        pytest.skip(why_not())
    options = ("-q", "-m", "long", "-p", "no:cacheprovider", "tests/attacks/test_attacks.py")
    done = run_as_ordinary("pytest", *options, timeout_s=7200.0)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    attacks = len(programs(LABELLED)) + len(programs(OWN))
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) == WAYS * (attacks + 1), "one test an attack, and one of the plants"
