"""Why a child ended, in the verdict's words. Pure: from what was measured and what it said to one reason.

The sentences hold limits, signals and exit statuses, never a measured time, so that the same end reads the same each time.
"""

from __future__ import annotations

import os
import re
import signal

from judge.model.outcome import Ended
from judge.model.verdict import Verdict

MEGA = 1_000_000
_STUCK = re.compile(
    rb"\[id=(\d+)\] This thread has been waiting for `([a-z ]{1,40}) RendezvousKey\{[^`]{0,400}\}` for \d+ seconds "
    rb"and may be stuck\. Expected (\d{1,6}) threads"
)
_UNSTUCK = re.compile(rb"\[id=(\d+)\] Thread is unstuck")
_NO_MEMORY = (b"bad_alloc", b"Out of memory", b"out of memory", b"RESOURCE_EXHAUSTED", b"MemoryError")
#: Exceptions that say that an allocation failed, Python's and NumPy's.
NO_MEMORY_TYPES = frozenset({"MemoryError", "_ArrayMemoryError"})


def too_slow(stage: str, cpu_s: float) -> Ended:
    return Ended(Verdict.TIME_LIMIT, stage, f"it used more than its {cpu_s:g} s of CPU time")


def too_long(stage: str, cpu_s: float, wall_s: float) -> Ended:
    """Wall time ran out while CPU time did not: it slept, waited, or was stopped."""
    detail = f"it did not answer within {wall_s:g} s, without using up its {cpu_s:g} s of CPU time: it sleeps or waits"
    return Ended(Verdict.TIME_LIMIT, stage, detail)


def too_big(stage: str, limit_bytes: int) -> Ended:
    return Ended(
        Verdict.MEMORY_LIMIT, stage, f"it needs more than the {limit_bytes // MEGA} MB of memory that are allowed"
    )


def too_loud(stage: str, stream: str, limit_bytes: int) -> Ended:
    """`stream` is `standard output` or `standard error`."""
    return Ended(Verdict.OUTPUT_LIMIT, stage, f"it wrote more than the {limit_bytes} bytes that {stream} may hold")


def garbled(stage: str, why: str) -> Ended:
    return Ended(Verdict.RUNTIME_ERROR, stage, f"the process did not keep to the judge's protocol: {why}")


def by_status(stage: str, status: int, stderr: bytes, *, memory_bytes: int, lifetime_spent: bool) -> Ended:
    """What a wait status says of a process that the judge did not kill."""
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        return Ended(Verdict.EXITED, stage, f"the process exited with status {code} before it had answered")
    number = os.WTERMSIG(status)
    name = _signal_name(number)
    if number == signal.SIGXCPU or (number == signal.SIGKILL and lifetime_spent):
        return Ended(Verdict.TIME_LIMIT, stage, "it used up the CPU time of its whole life")
    if number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGTRAP) and any(sign in stderr for sign in _NO_MEMORY):
        return too_big(stage, memory_bytes)
    return Ended(Verdict.RUNTIME_ERROR, stage, f"the process was killed by {name}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def waited(ended: Ended, stderr: bytes) -> Ended:
    """The end of a process that waits instead of computing: a deadlock where XLA said that a collective is stuck, and did not
    take it back."""
    stuck: dict[bytes, re.Match[bytes]] = {match[1]: match for match in _STUCK.finditer(stderr)}
    for match in _UNSTUCK.finditer(stderr):
        stuck.pop(match[1], None)
    if not stuck:
        return ended
    first = next(iter(stuck.values()))
    what, expected = first[2].decode().strip(), int(first[3])
    detail = (
        f"a collective ({what}) waited for all of {expected} devices and not all of them came: every device has to run "
        "the same collectives in the same order"
    )
    return Ended(Verdict.DEADLOCK, ended.stage, detail)
