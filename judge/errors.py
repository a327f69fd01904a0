"""The exceptions that the judge raises on purpose.

Each says whose fault it is and carries the exit status that the command line gives it. What a
submission does is never an exception here: it is an outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class JudgeError(Exception):
    """Base of all; caught in `judge.commands.common` and nowhere else. Exit status 2 unless a subclass says otherwise."""

    status = 2


class UsageError(JudgeError):
    """The command, its arguments or the files that it names cannot be used as they are."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a file that an author or grader wrote.

    Attributes:
        file: the file.
        line: its line, counted from 1; None where the fault has no line (a missing file).
        message: what is wrong, with the value that was found.
        remedy: what to do about it.
    """

    file: Path
    line: int | None
    message: str
    remedy: str

    def __str__(self) -> str:
        place = str(self.file) if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}; {self.remedy}"


class FaultyFile(JudgeError):
    """A problem, roster or course file is wrong. Holds every fault found, not just the first."""

    def __init__(self, subject: str, faults: Sequence[Fault]) -> None:
        assert faults, "a faulty file has at least one fault"
        self.subject = subject
        self.faults = tuple(faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n".join([f"{subject} has {count}:", *(f"  {fault}" for fault in faults)]))


class JudgeFault(JudgeError):
    """The judge itself, or the machine under it, failed. The submission at hand is `ungraded`, never scored."""

    status = 3
