"""What is said where nothing confines."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest

from judge.errors import UsageError
from judge.sandbox.launch import Confinement
from judge.sandbox.unconfined import notice, require_fork

NOTHING = Confinement(
    bubblewrap=False,
    no_bubblewrap="it is not installed",
    bubblewrap_remedy="apt-get install bubblewrap",
    landlock_abi=0,
    no_seccomp="",
    uid=1000,
    keep_read=False,
    flags=(),
)


def test_the_notice_says_why_and_prints_the_whole_command_of_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    text = notice(NOTHING, "check step.py")
    assert "no Landlock, and no bubblewrap (it is not installed)" in text and "judge doctor" in text
    assert text.endswith('-v "$PWD:/work" jax-judge check step.py') and "docker run --rm --network none" in text
    assert "no seccomp (switched off)" in notice(replace(NOTHING, no_seccomp="switched off"), "check step.py")


def test_on_another_system_there_is_nothing_to_turn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    text = notice(NOTHING, "check step.py")
    assert "darwin has none of the layers" in text and "judge doctor" not in text


def test_a_system_that_cannot_fork_is_told_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    require_fork()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "fork")
    with pytest.raises(UsageError, match=r"win32 cannot fork.*WSL 2 \(wsl --install\), or in a container: docker run"):
        require_fork()
