"""The diagnosis of this machine, and of machines that lack something."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from judge import doctor
from judge.doctor import diagnose
from judge.errors import JudgeFault
from judge.sandbox.layers import Layers
from judge.sandbox.settings import SandboxSettings
from tests.support import run
from tests.support.command import COMMAND, WHERE


def test_a_machine_that_confines_is_safe_and_names_its_versions() -> None:
    found = diagnose(SandboxSettings())
    assert found.safe
    assert found.devices == 8
    assert {"python", "jax", "jaxlib", "numpy", "hypothesis"} <= set(found.versions)
    assert found.versions["jax"]
    assert 0 < found.memory_bytes[0] <= found.memory_bytes[1]
    assert found.disk_bytes > 0


def test_what_is_off_is_a_warning_with_a_remedy() -> None:
    found = diagnose(SandboxSettings(seccomp=False))
    assert not found.safe
    assert any("seccomp" in warned.message for warned in found.warnings)
    assert all(warned.remedy for warned in found.warnings)


def test_a_launcher_that_cannot_start_is_a_warning_and_nothing_is_safe() -> None:
    found = diagnose(SandboxSettings(python=Path("/nonexistent/python")))
    assert not found.safe
    assert found.devices == 0
    assert "cannot be used as the interpreter" in found.warnings[0].message


def test_a_sandbox_that_is_not_ready_in_time_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(settings: SandboxSettings) -> None:
        raise JudgeFault("it was not ready after 1 s")

    monkeypatch.setattr(doctor, "find_layers", fails)
    found = diagnose(SandboxSettings())
    assert not found.safe
    assert "it was not ready after 1 s" in found.warnings[0].message


@pytest.mark.parametrize(("said", "total"), [("268435456\n", 1 << 28), ("max\n", None)])
def test_memory_is_what_the_container_may_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, total: int | None
) -> None:
    machine = doctor._memory()[1]
    (tmp_path / "memory.max").write_text(said)
    monkeypatch.setattr(doctor, "CEILINGS", (str(tmp_path / "missing"), str(tmp_path / "memory.max")))
    free, found = doctor._memory()
    assert free <= found == (total or machine)


@pytest.mark.parametrize("missing", ["-setuid", "-setgid", "-kill"])
def test_root_without_the_right_to_change_the_user_is_told_what_to_start_it_with(tmp_path: Path, missing: str) -> None:
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        pytest.skip("needs root and setpriv, of the package util-linux")
    result = run([setpriv, f"--bounding-set={missing}", *COMMAND, "doctor"], cwd=tmp_path, env=WHERE)
    assert result.returncode == 3
    assert "--user" in " ".join(result.stdout.split())


def test_little_memory_and_little_disk_are_warnings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "find_layers", lambda settings: Layers(()))
    monkeypatch.setattr(doctor, "_devices", lambda settings: 8)
    monkeypatch.setattr(doctor, "_memory", lambda: (1 << 30, 8 << 30))
    monkeypatch.setattr(doctor, "DISK_BYTES", 1 << 60)
    found = diagnose(replace(SandboxSettings()), folder=tmp_path)
    remedies = [warned.remedy for warned in found.warnings]
    assert any("--jobs 1" in remedy for remedy in remedies)
    assert any("--out" in remedy for remedy in remedies)
