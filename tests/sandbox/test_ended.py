"""From a wait status and standard error to one reason."""

from __future__ import annotations

import signal

import pytest

from judge.model.outcome import Ended
from judge.model.verdict import ENDS, Verdict
from judge.sandbox import ended as reasons

#: As XLA 0.10.2 writes it.
STUCK = (
    b"E1130 04:50:09.574644    6899 rendezvous.cc:116] [id=%d] This thread has been waiting for `all reduce "
    b"RendezvousKey{run_id=RunId: 1659041399, global_devices=[0, 1, 2, 3, 4, 5, 6, 7], num_local_participants=8, "
    b"collective_op_kind=cross_module, op_id=1}` for 2 seconds and may be stuck. Expected 8 threads to join the "
    b"rendezvous, but not all of them arrived on time.\n"
)
UNSTUCK = b"E1130 04:50:12.1 6899 rendezvous.cc:127] [id=%d] Thread is unstuck! Warning above was a false-positive.\n"
IDLE = reasons.too_long("call", 1.0, 3.0)


def by_status(status: int, stderr: bytes = b"", *, lifetime_spent: bool = False) -> Ended:
    return reasons.by_status("call", status, stderr, memory_bytes=1 << 30, lifetime_spent=lifetime_spent)


@pytest.mark.parametrize("code", [0, 1, 2, 70, 255])
def test_every_exit_status_is_exited(code: int) -> None:
    assert by_status(code << 8).verdict is Verdict.EXITED


def test_a_signal_is_named() -> None:
    assert by_status(signal.SIGSEGV).detail.endswith("SIGSEGV")
    assert by_status(63).detail.endswith("signal 63")


def test_the_kernels_own_cpu_limit_is_a_time_limit() -> None:
    assert by_status(signal.SIGXCPU).verdict is Verdict.TIME_LIMIT
    assert by_status(signal.SIGKILL, lifetime_spent=True).verdict is Verdict.TIME_LIMIT
    assert by_status(signal.SIGKILL).verdict is Verdict.RUNTIME_ERROR


def test_an_abort_that_spoke_of_memory_is_the_memory_limit_and_another_is_not() -> None:
    assert by_status(signal.SIGABRT, b"what():  std::bad_alloc").verdict is Verdict.MEMORY_LIMIT
    assert by_status(signal.SIGABRT, b"Check failed: x == y").verdict is Verdict.RUNTIME_ERROR
    assert by_status(signal.SIGTERM, b"std::bad_alloc").verdict is Verdict.RUNTIME_ERROR


def test_time_that_ran_out_in_a_stuck_collective_is_a_deadlock() -> None:
    ended = reasons.waited(IDLE, b"noise\n" + STUCK % 0 + STUCK % 1)
    assert ended.verdict is Verdict.DEADLOCK
    assert ended.stage == "call"
    assert "all reduce" in ended.detail


def test_a_collective_that_came_unstuck_again_is_none() -> None:
    assert reasons.waited(IDLE, STUCK % 0 + UNSTUCK % 0) == IDLE
    assert reasons.waited(IDLE, STUCK % 0 + STUCK % 1 + UNSTUCK % 0).verdict is Verdict.DEADLOCK


def test_every_reason_is_an_end_and_a_sentence_without_a_measured_number() -> None:
    ends = [
        reasons.too_slow("call", 1.0),
        IDLE,
        reasons.too_big("call", 1 << 30),
        reasons.too_loud("call", "standard error", 1),
    ]
    ends += [reasons.garbled("call", "nothing"), by_status(0), by_status(9)]
    assert all(end.verdict in ENDS and end.detail and not end.detail.endswith(".") for end in ends)
