"""The workers of a cluster: who is there, and which of them may be given work.

A worker is asked first: for its versions, which must be ours, and for what confines submissions there, which it tries. Workers
may come and go at any time; one that has been refused stays refused as long as it lives.
"""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judge import __version__, store
from judge.errors import JudgeFault
from judge.executors import parcel, remote
from judge.sandbox.layers import Layer, Layers

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_S = 1.0
#: A worker that has not answered an order by then is given no work.
ANSWER_S = 300.0
INSTALL = f"pip install 'jax-judge[cluster]=={__version__}'"


@dataclass(slots=True)
class Worker:
    """One worker that may be given work: how many submissions at once, how many it holds, what confines them there."""

    threads: int
    layers: Layers
    held: int = 0


class Crew:
    """The workers of `client`'s cluster, as of the last `look`.

    Attributes:
        token: of this run; a worker takes work only for a token that it was asked with.
        ready: by address; those that may be given work.
        refused: by address, why not.
    """

    def __init__(self, client: Client, *, unsafe: bool) -> None:
        self.token = secrets.token_hex(8)
        self.ready: dict[str, Worker] = {}
        self.refused: dict[str, str] = {}
        self._client, self._unsafe = client, unsafe
        self._order = parcel.pack_order(self.token, unsafe=unsafe)
        self._asked: dict[str, tuple[Future[bytes], float]] = {}
        self._numbers = itertools.count(1)
        self._looked = float("-inf")
        self._confined: list[Layers] = []

    @property
    def undecided(self) -> bool:
        """Whether somebody has not answered yet."""
        return bool(self._asked)

    def layers(self) -> Layers:
        """What confined submissions at every worker that was given work: a layer that was off at one is off."""
        merged: dict[str, Layer] = {}
        for layers in self._confined:
            for layer in layers.layers:
                if layer.name not in merged or not layer.on:
                    merged[layer.name] = layer
        return Layers(tuple(merged.values()), next((one.refusal for one in self._confined if one.refusal), ""))

    def look(self) -> list[str]:
        """See who came and who left, now and then; the addresses of those that left.

        Raises:
            OSError, TimeoutError: the scheduler cannot be reached.
        """
        if time.monotonic() - self._looked < LOOK_S:
            return []
        here: Mapping[str, int] = self._client.nthreads()
        self._looked = time.monotonic()
        left = [address for address in (*self.ready, *self.refused, *self._asked) if address not in here]
        for address in left:
            self.forget(address)
        for address in here:
            if address not in self.ready and address not in self.refused and address not in self._asked:
                self._asked[address] = (self._ask(address), time.monotonic())
        for address, (future, since) in list(self._asked.items()):
            if future.done():
                self._decide(address, here[address], future)
            elif time.monotonic() - since > ANSWER_S:
                self.refuse(address, f"it did not answer within {ANSWER_S:g} s; restart it")
        return left

    def forget(self, address: str) -> None:
        """Whoever is at that address from now on is asked anew."""
        self.ready.pop(address, None)
        self.refused.pop(address, None)
        self._asked.pop(address, None)

    def refuse(self, address: str, why: str) -> None:
        """Give no work to a worker as long as it lives."""
        self.forget(address)
        self.refused[address] = f"worker {address} was given no work: {why}"

    def free(self) -> Iterator[str]:
        """Addresses, each as many times as it can take a submission."""
        return (address for address, worker in self.ready.items() for _ in range(worker.threads - worker.held))

    def _ask(self, address: str) -> Future[bytes]:
        key = f"judge_admit-{self.token}-{next(self._numbers)}"
        return self._client.submit(remote.admit, self._order, key=key, workers=[address], pure=False)

    def _decide(self, address: str, threads: int, future: Future[bytes]) -> None:
        try:
            answer = parcel.unpack_answer(future.result())
        except Exception as error:  # noqa: BLE001 - whatever another environment makes of our order, it cannot work for us
            text = (str(error).splitlines() or [""])[0]
            why = f"it cannot run this judge ({type(error).__name__}: {text}); on it and on the scheduler: {INSTALL}"
            self.refuse(address, why)
            return
        why = _unfit(answer, unsafe=self._unsafe)
        if why:
            self.refuse(address, why)
        elif not isinstance(answer, JudgeFault):
            self.forget(address)
            self.ready[address] = Worker(threads, answer.layers)
            if answer.layers not in self._confined:
                self._confined.append(answer.layers)


def _unfit(answer: parcel.Answer | JudgeFault, *, unsafe: bool) -> str:
    """Why a worker that answered so may not be given work; "" when it may."""
    if isinstance(answer, JudgeFault):
        return str(answer)
    ours = store.versions()
    for name, version in ours.items():
        theirs = answer.versions.get(name, "none")
        if theirs != version:
            remedy = INSTALL if name == "judge" else f"python -m pip install {name}=={version}"
            return f"it has {name} {theirs}, and {version} is needed; on it: {remedy}"
    if not answer.layers.safe and not unsafe:
        return answer.layers.refusal or "submissions would not be confined there; on it: judge doctor"
    return ""
