"""Which layers are on: by trying, in a real sandbox, and with each of them switched off in turn."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.sandbox import bubblewrap
from judge.sandbox.layers import Layer, Layers, find_layers, require
from judge.sandbox.places import closed, places
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings

#: Everything may be off in these sessions, for the layer in question to be seen missing.
BASE = SandboxSettings(unsafe=True)
ON = {"rlimits", "landlock", "seccomp", "limits"}
ROOT = os.geteuid() == 0


def names(layers: Layers) -> set[str]:
    return {layer.name for layer in layers.layers if layer.on}


def works() -> bool:
    return bubblewrap.fails(places(BASE), (sys.executable, "-I", "-S", "-c", "pass")) is None


needs_bubblewrap = pytest.mark.skipif(not works(), reason="bubblewrap does not work here")


def expected(*without: str) -> set[str]:
    on = ON | ({"bubblewrap"} if works() else set()) | ({"uid"} if ROOT else set())
    return on - set(without)


def test_all_that_can_be_had_is_on_by_default() -> None:
    layers = find_layers(SandboxSettings())
    assert names(layers) == expected()
    assert layers.safe
    assert layers.summary() == ", ".join(layer.name for layer in layers.layers if layer.on)
    require(layers, unsafe=False)


@pytest.mark.parametrize(
    ("settings", "off"),
    [
        (replace(BASE, rlimits=False), "rlimits"),
        (replace(BASE, seccomp=False), "seccomp"),
        (replace(BASE, bubblewrap=False), "bubblewrap"),
        (replace(BASE, drop_root=False), "uid"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_layer_that_is_switched_off_is_found_to_be_off_and_no_other(settings: SandboxSettings, off: str) -> None:
    assert names(find_layers(settings)) == expected(off)


@needs_bubblewrap
def test_landlock_switched_off_is_found_although_bubblewrap_hides_the_files() -> None:
    layers = find_layers(replace(BASE, landlock=False))
    assert names(layers) == expected("landlock")
    assert layers.safe


def test_without_seccomp_nothing_is_safe_and_the_refusal_has_a_remedy() -> None:
    layers = find_layers(replace(BASE, seccomp=False))
    assert not layers.safe
    with pytest.raises(UsageError, match="--unsafe"):
        require(layers, unsafe=False)
    require(layers, unsafe=True)
    assert layers.summary().startswith("sandbox: off")


@pytest.mark.parametrize(
    "settings",
    [SandboxSettings(seccomp=False), SandboxSettings(landlock=False, bubblewrap=False)],
    ids=["no seccomp", "neither landlock nor bubblewrap"],
)
def test_a_session_that_would_confine_too_little_refuses_to_open(settings: SandboxSettings) -> None:
    with Session(settings) as session, pytest.raises(UsageError, match="; "):
        session.confinement()


def test_seccomp_landlock_and_limits_are_what_safe_means() -> None:
    def made(*on: str) -> Layers:
        return Layers(tuple(Layer(name, name in on, "") for name in (*ON, "bubblewrap", "uid")))

    assert made("seccomp", "landlock", "limits").safe
    assert made("seccomp", "bubblewrap", "limits").safe
    assert not made("seccomp", "limits", "rlimits", "uid").safe
    assert not made("landlock", "bubblewrap", "limits").safe
    assert not made("seccomp", "landlock").safe
    assert not Layers(()).safe


def test_bubblewrap_that_is_missing_is_left_out_or_refused_if_insisted_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bubblewrap, "BWRAP", str(tmp_path / "bwrap"))
    bubblewrap.fails.cache_clear()
    try:
        with Session(SandboxSettings()) as session:
            held = session.confinement()
        assert not held.bubblewrap
        assert held.bubblewrap_remedy == "install it: apt-get install bubblewrap"
        with Session(SandboxSettings(bubblewrap=True)) as session, pytest.raises(UsageError, match="apt-get install"):
            session.confinement()
    finally:
        bubblewrap.fails.cache_clear()


def test_bubblewrap_that_fails_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "BWRAP", str(broken))
    bubblewrap.fails.cache_clear()
    try:
        why = bubblewrap.fails(places(BASE), ("true",))
    finally:
        bubblewrap.fails.cache_clear()
    assert why is not None
    assert "setting up uid map: Permission denied" in why[0]
    assert why[1] in (bubblewrap.APPARMOR, bubblewrap.CONTAINER)


@pytest.mark.skipif(not ROOT, reason="only root drops to another user")
@pytest.mark.parametrize("boxed", [None, False])
def test_root_never_runs_a_submission_as_root(boxed: bool | None) -> None:
    with Session(SandboxSettings(bubblewrap=boxed)) as first, Session(SandboxSettings(bubblewrap=boxed)) as second:
        uids = {first.confinement().uid, second.confinement().uid}
    assert len(uids) == 2
    assert 0 not in uids


def test_a_path_is_closed_where_others_cannot_pass(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    (shut / "lib").mkdir(parents=True)
    shut.chmod(0o700)
    (shut / "lib").chmod(0o755)
    open_path = tmp_path / "link"
    open_path.symlink_to(shut / "lib")
    assert closed(str(shut / "lib"), whole_way=True) is not None
    assert closed(str(shut / "lib"), whole_way=False) is None
    shut.chmod(0o755)
    (shut / "lib").chmod(0o750)
    assert closed(str(open_path), whole_way=False) == str(open_path)


def test_nothing_of_the_judge_but_the_runner_can_be_read(open_session: Callable[[SandboxSettings], Session]) -> None:
    from judge.sandbox.layers import ROOMY

    package = Path(places(BASE).root) / "judge"
    for boxed in (None, False):
        with open_session(SandboxSettings(bubblewrap=boxed)).open("probe", devices=0, limits=ROOMY) as child:

            def read(path: str, child=child) -> str:  # type: ignore[no-untyped-def] # noqa: ANN001
                asked = {"request": "attempt", "secret": str(package / path), "judge": os.getpid()}
                results = child.request(asked, stage="probe", cpu_s=10).header["results"]
                return str(results["read a file of the host"])

            assert read("runner/wire.py") == "done"
            assert read("errors.py") in ("EACCES", "ENOENT")
            assert read("sandbox/session.py") in ("EACCES", "ENOENT")


def test_the_sandbox_sees_only_the_environment_that_was_made_for_it(
    monkeypatch: pytest.MonkeyPatch, open_session: Callable[[SandboxSettings], Session]
) -> None:
    from judge.sandbox.launch import ENVIRONMENT
    from judge.sandbox.layers import ROOMY

    monkeypatch.setenv("JUDGE_SECRET", "1")
    with open_session(SandboxSettings()).open("probe", devices=0, limits=ROOMY) as child:
        facts = child.request({"request": "facts"}, stage="probe", cpu_s=10).header["facts"]
    # What bubblewrap and JAX add by themselves.
    added = {"XLA_FLAGS", "PWD", "TF_CPP_MIN_LOG_LEVEL", "TPU_SKIP_MDS_QUERY"}
    assert set(facts["environment"]) - added == set(ENVIRONMENT)
    assert len(facts["descriptors"]) == 1
