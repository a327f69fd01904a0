"""The diagnosis of this machine, and of machines that lack something."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from judge import doctor
from judge.doctor import diagnose
from judge.errors import JudgeFault
from judge.sandbox.layers import Layer, Layers
from judge.sandbox.settings import SandboxSettings


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


def test_little_memory_and_little_disk_are_warnings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "find_layers", lambda settings: Layers(()))
    monkeypatch.setattr(doctor, "_devices", lambda settings: 8)
    monkeypatch.setattr(doctor, "_memory", lambda: (1 << 30, 8 << 30))
    monkeypatch.setattr(doctor, "DISK_BYTES", 1 << 60)
    found = diagnose(replace(SandboxSettings()), folder=tmp_path)
    remedies = [warned.remedy for warned in found.warnings]
    assert any("--jobs 1" in remedy for remedy in remedies)
    assert any("--out" in remedy for remedy in remedies)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody drops to another user")
@pytest.mark.parametrize("boxed", [True, False])
def test_a_folder_closed_to_the_sandboxs_user_is_a_warning_with_the_command_that_opens_it(boxed: bool) -> None:
    layers = Layers((Layer("bubblewrap", boxed, ""), Layer("uid", True, "")))
    # Not pytest's own folder, which is closed itself.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        shut = Path(folder) / "shut"
        shut.mkdir(mode=0o700)
        settings = SandboxSettings(paths=(shut,))
        warned = [one for one in doctor._closed_folders(settings, layers) if str(shut) in one.message]
        shut.chmod(0o755)
        cured = [one for one in doctor._closed_folders(settings, layers) if str(shut) in one.message]

    assert [one.remedy for one in warned] == [f"run: chmod o+rx {shut}, or install Python and the judge outside of it"]
    assert cured == []


def test_no_folder_is_closed_to_whoever_stays_the_same_user() -> None:
    assert doctor._closed_folders(SandboxSettings(), Layers((Layer("uid", False, ""),))) == []
