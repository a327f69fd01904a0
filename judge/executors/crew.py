"""The workers of a cluster: who is there, and which of them may be given work.

A worker is asked first: for its versions, which must be ours, and for what confines submissions there, which it tries. Then it
is sent the course. Workers may come and go at any time; one that has been refused stays refused as long as it lives.
"""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judge import __version__, store
from judge.errors import JudgeFault
from judge.executors import parcel, remote
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.sandbox.layers import Layer, Layers

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_S = 1.0
FETCH_S = 30.0
#: A worker that has not answered an order by then is given no work.
ANSWER_S = 300.0
INSTALL = f"pip install 'jax-judge[cluster]=={__version__}'"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A worker that has not answered: an order, or, once its layers are known, the course."""

    future: Future[bytes]
    since: float
    layers: Layers | None = None


class Crew:
    """The workers of `client`'s cluster, as of the last `look`.

    Attributes:
        token: of this run; a worker takes work only for one whose course it has.
        ready: threads by address, of those that may be given work.
        refused: by address, why not.
    """

    def __init__(
        self, client: Client, problems: Mapping[str, Problem], cases: Mapping[str, Bank], *, unsafe: bool
    ) -> None:
        self.token = secrets.token_hex(8)
        self.ready: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self._client, self._unsafe = client, unsafe
        self._order = parcel.pack_order(unsafe=unsafe)
        self._course = parcel.pack_course(self.token, problems, cases, unsafe=unsafe)
        self._asked: dict[str, _Asked] = {}
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
            OSError, TimeoutError, RuntimeError: the scheduler cannot be reached.
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
                self._asked[address] = self._ask(address, remote.admit, self._order)
        for address, asked in list(self._asked.items()):
            if asked.future.done():
                self._decide(address, here[address], asked)
            elif time.monotonic() - asked.since > ANSWER_S:
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

    def free(self, held: Mapping[str, int]) -> list[str]:
        """Addresses, each as many times as it can take a submission, where so many are held by each."""
        return [address for address, threads in self.ready.items() for _ in range(threads - held.get(address, 0))]

    def _ask(
        self, address: str, function: Callable[[bytes], bytes], what: bytes, layers: Layers | None = None
    ) -> _Asked:
        key = f"judge_{function.__name__}-{self.token}-{next(self._numbers)}"
        # From here to each of them, and not from one to the other: no worker's death is another one's loss.
        future = self._client.submit(function, what, key=key, workers=[address], pure=False)
        return _Asked(future, time.monotonic(), layers)

    def _decide(self, address: str, threads: int, asked: _Asked) -> None:
        try:
            data = asked.future.result(timeout=FETCH_S)
            if asked.layers is None:
                self._answered(address, parcel.unpack_answer(data))
                return
            fault = parcel.unpack_taken(data)
        except Exception as error:  # noqa: BLE001 - whatever another environment makes of our order, it cannot work for us
            text = (str(error).splitlines() or [""])[0]
            why = f"it cannot run this judge ({type(error).__name__}: {text}); on it and on the scheduler: {INSTALL}"
            self.refuse(address, why)
            return
        if fault is not None:
            self.refuse(address, str(fault))
            return
        self.forget(address)
        self.ready[address] = threads
        if asked.layers not in self._confined:
            self._confined.append(asked.layers)

    def _answered(self, address: str, answer: parcel.Answer | JudgeFault) -> None:
        why = _unfit(answer, unsafe=self._unsafe)
        if why or isinstance(answer, JudgeFault):
            self.refuse(address, why)
        else:
            self._asked[address] = self._ask(address, remote.take, self._course, answer.layers)


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
