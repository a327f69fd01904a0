"""A bank that is still being drawn: its examples are there at once, for whoever waits for the first answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

from judge.bank.draw import draw_bank
from judge.bank.make import finish
from judge.bank.pinned import pinned_drafts
from judge.model.case import Bank, Case
from judge.model.problem import Problem
from judge.oracle.reference import Reference


class Coming:
    """The bank of a seed, drawn in a thread.

    Attributes:
        examples: those of the bank, in its order, the same to the last bit.
    """

    def __init__(self, problem: Problem, seed: int, oracle: Reference) -> None:
        examples = [draft for draft in pinned_drafts(problem) if draft.group == "examples"]
        self.examples: tuple[Case, ...] = tuple(finish(problem, oracle, examples))
        beside = ThreadPoolExecutor(1)
        self._drawn = beside.submit(draw_bank, problem, seed, oracle)
        beside.shutdown(wait=False)

    def bank(self) -> Bank:
        """The whole of it, once it is there.

        Raises:
            FaultyFile: as `draw_bank` does.
        """
        return self._drawn.result()

    def close(self) -> None:
        """Wait until nothing uses the oracle any more."""
        self._drawn.cancel()
        wait([self._drawn])
