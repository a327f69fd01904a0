"""Which workers may be given work, by what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from judge import store
from judge.errors import JudgeFault
from judge.executors import parcel
from judge.executors.crew import Crew, _unfit
from judge.sandbox.layers import Layer, Layers

SAFE = Layers(tuple(Layer(name, True, f"{name} holds") for name in ("seccomp", "landlock", "bubblewrap", "limits")))
HALF = Layers((*SAFE.layers[:2], Layer("bubblewrap", False, "it is not installed", "install it"), SAFE.layers[3]))
NONE = Layers((Layer("seccomp", False, "it is not there"),), refusal="submissions would not be confined: no seccomp")


def answer(layers: Layers = SAFE, versions: Mapping[str, str] | None = None) -> parcel.Answer:
    return parcel.Answer({**store.versions(), **(versions or {})}, layers)


def test_the_same_versions_and_a_sandbox_are_fit() -> None:
    assert _unfit(answer(), unsafe=False) == ""


@pytest.mark.parametrize("name", ["jax", "jaxlib", "numpy", "hypothesis"])
def test_another_version_of_a_library_is_named_with_the_command_that_cures_it(name: str) -> None:
    why = _unfit(answer(versions={name: "0.0.1"}), unsafe=True)
    assert f"it has {name} 0.0.1" in why
    assert f"pip install {name}=={store.versions()[name]}" in why


def test_a_worker_without_a_sandbox_is_fit_only_for_unsafe() -> None:
    assert _unfit(answer(NONE), unsafe=False) == NONE.refusal
    assert _unfit(answer(NONE), unsafe=True) == ""


def test_a_fault_is_told_as_it_is() -> None:
    assert _unfit(JudgeFault("no launcher can be started"), unsafe=True) == "no launcher can be started"


@dataclass
class Task:
    """A task that has ended."""

    data: bytes

    def done(self) -> bool:
        return True

    def result(self) -> bytes:
        return self.data


@dataclass
class Client:
    """A scheduler whose workers answer at once."""

    answers: dict[str, bytes]
    threads: dict[str, int] = field(default_factory=dict)

    def nthreads(self) -> Mapping[str, int]:
        return {address: self.threads.get(address, 1) for address in self.answers}

    def submit(self, function: Any, order: bytes, *, key: str, workers: list[str], pure: bool) -> Task:
        return Task(self.answers[workers[0]])


def packed(layers: Layers) -> bytes:
    return parcel.pack_answer(store.versions(), layers)


def looked(crew: Crew) -> list[str]:
    crew._looked = float("-inf")
    return crew.look()


def test_workers_are_taken_refused_and_forgotten_as_they_come_and_go() -> None:
    client = Client({"a": packed(SAFE), "b": packed(NONE), "c": b"what is this"}, {"a": 3})
    crew = Crew(client, unsafe=False)  # type: ignore[arg-type]  # as much of a client as is used
    assert looked(crew) == []
    assert list(crew.free()) == ["a", "a", "a"]
    assert set(crew.refused) == {"b", "c"}
    assert all(f"worker {address} was given no work" in why for address, why in crew.refused.items())
    client.answers = {"b": packed(SAFE), "d": packed(SAFE)}
    assert sorted(looked(crew)) == ["a", "c"]
    assert list(crew.ready) == ["d"]
    assert set(crew.refused) == {"b"}


def test_a_layer_that_is_off_at_one_worker_is_off() -> None:
    crew = Crew(Client({"a": packed(SAFE), "b": packed(HALF), "c": packed(SAFE)}), unsafe=False)  # type: ignore[arg-type]
    looked(crew)
    assert len(crew.ready) == 3
    layers = {layer.name: layer.on for layer in crew.layers().layers}
    assert layers == {"seccomp": True, "landlock": True, "bubblewrap": False, "limits": True}
