"""A real launcher and real children: every way to end, and who is to blame for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.errors import JudgeFault
from judge.model.outcome import Ended
from judge.model.verdict import Verdict
from judge.runner.wire import Buffer, Caps
from judge.sandbox.session import ChildEnded, ChildLimits, Session
from judge.sandbox.settings import SandboxSettings
from tests.sandbox.conftest import LIMITS, MIB, alive, descendants
from tests.support import ROOT

SHORT_S = 0.2


def end_of(
    session: Session,
    behaviour: str,
    *,
    cpu_s: float = 10.0,
    limits: ChildLimits = LIMITS,
    devices: int = 0,
    **extra: Any,
) -> Ended:
    """How a child ends that is asked for one behaviour."""
    with session.open("behave", devices=devices, limits=limits) as child:
        pid = child.pid
        with pytest.raises(ChildEnded) as caught:
            child.request({"request": behaviour, **extra}, stage="call", cpu_s=cpu_s)
    assert not alive(pid)
    assert caught.value.ended.stage == "call"
    return caught.value.ended


def test_an_answer_comes_back_with_its_arrays_and_a_measure_of_what_it_took(session: Session) -> None:
    array = np.arange(6.0).reshape(2, 3)
    sent: list[Buffer] = [array, b"bytes"]
    with session.open("behave", devices=0, limits=LIMITS) as child:
        for number in range(3):
            message = child.request({"request": "echo", "echo": number}, sent, stage="call", cpu_s=10)
            assert message.header["echo"] == number
            assert np.array_equal(message.buffers[0], array)
            assert message.buffers[1] == b"bytes"
    usage = child.usage()
    assert usage.cpu_s > 0
    assert usage.wall_s > 0
    assert 20 * MIB < usage.peak_bytes < LIMITS.memory_bytes


def test_frames_larger_than_any_buffer_of_the_kernel_go_both_ways(session: Session) -> None:
    sent = np.arange(4 * MIB, dtype=np.float64)
    with session.open("behave", devices=0, limits=LIMITS) as child:
        message = child.request({"request": "echo"}, [sent], stage="call", cpu_s=10)
    assert np.array_equal(message.buffers[0], sent)


@pytest.mark.parametrize("devices", [8, 4, 1])
def test_one_launcher_serves_children_with_different_numbers_of_devices(session: Session, devices: int) -> None:
    with session.open("behave", devices=devices, limits=LIMITS) as child:
        assert child.request({"request": "psum"}, stage="call", cpu_s=20).header["sum"] == devices * (devices - 1) / 2


def test_a_submission_cannot_change_how_many_devices_there_are(session: Session) -> None:
    with session.open("behave", devices=8, limits=LIMITS) as child:
        header = child.request({"request": "tamper_with_the_count_of_devices"}, stage="call", cpu_s=20).header
    assert header["devices"] == 8
    assert header["refused"] == "RuntimeError"


@pytest.mark.parametrize("behaviour", ["spin", "spin_in_numpy_threads", "ignore_signals_and_spin"])
def test_cpu_time_of_all_threads_ends_at_its_limit(session: Session, behaviour: str) -> None:
    ended = end_of(session, behaviour, cpu_s=SHORT_S, limits=replace(LIMITS, wall_factor=100.0))
    assert ended == Ended(Verdict.TIME_LIMIT, "call", "it used more than its 0.2 s of CPU time")


@pytest.mark.parametrize("behaviour", ["sleep", "stop", "half_a_frame_and_sleep"])
def test_a_child_that_sleeps_or_stops_ends_by_the_clock(session: Session, behaviour: str) -> None:
    ended = end_of(session, behaviour, cpu_s=SHORT_S, limits=replace(LIMITS, wall_factor=1.5))
    assert ended.verdict is Verdict.TIME_LIMIT
    assert "did not answer within 0.3 s" in ended.detail


def test_the_cpu_time_of_one_request_is_not_held_against_the_next(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        before = 0.0
        while child.usage().cpu_s < before + 3 * SHORT_S:
            child.request({"request": "spike", "bytes": 8 * MIB}, stage="call", cpu_s=SHORT_S)


def test_memory_ends_at_its_limit(session: Session) -> None:
    limits = replace(LIMITS, memory_bytes=400 * MIB)
    assert end_of(session, "hoard", limits=limits).verdict is Verdict.MEMORY_LIMIT


def test_memory_that_was_given_back_counts_too(session: Session) -> None:
    limits = replace(LIMITS, memory_bytes=400 * MIB)
    with session.open("behave", devices=0, limits=limits) as child, pytest.raises(ChildEnded) as caught:
        child.request({"request": "spike", "bytes": 450 * MIB}, stage="call", cpu_s=10)
    assert caught.value.ended.verdict is Verdict.MEMORY_LIMIT
    assert child.usage().peak_bytes > limits.memory_bytes


@pytest.mark.parametrize("behaviour", ["allocate_far_too_much", "die_of_bad_alloc"])
def test_an_allocation_that_the_kernel_refuses_is_the_memory_limit(session: Session, behaviour: str) -> None:
    ended = end_of(session, behaviour)
    assert ended == Ended(Verdict.MEMORY_LIMIT, "call", "it needs more than the 1073 MB of memory that are allowed")


@pytest.mark.parametrize("behaviour", ["flood_stdout", "flood_stderr"])
def test_output_ends_at_its_limit_and_head_and_tail_are_kept(session: Session, behaviour: str) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child, pytest.raises(ChildEnded) as caught:
        child.request({"request": behaviour}, stage="call", cpu_s=10)
    assert caught.value.ended.verdict is Verdict.OUTPUT_LIMIT
    said = child.stdout + child.stderr
    assert 1000 < len(said) <= LIMITS.output_bytes + 100


def test_much_on_standard_error_is_cut_and_not_punished(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        child.request({"request": "warn", "lines": 20_000}, stage="call", cpu_s=10)
    assert len(child.stderr) <= LIMITS.output_bytes + 100
    assert child.stderr.startswith(b"warning 0\n")
    assert child.stderr.endswith(b"warning 19999\n")
    assert b" bytes cut ...]" in child.stderr


def test_output_within_the_limit_is_kept_whole(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        child.request({"request": "say", "text": "grüße, \N{SNOWMAN}"}, stage="call", cpu_s=10)
        child.request({"request": "write_bytes"}, stage="call", cpu_s=10)
    assert child.stdout == "grüße, ☃\n".encode() + bytes(range(256))
    assert child.stderr == b""


def test_a_child_without_its_standard_streams_answers_all_the_same(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        child.request({"request": "close_stdio"}, stage="call", cpu_s=10)
        assert child.request({"request": "echo", "echo": 1}, stage="call", cpu_s=10).header["echo"] == 1


@pytest.mark.parametrize("code", [0, 1, 3])
@pytest.mark.parametrize("behaviour", ["exit", "system_exit"])
def test_an_exit_is_exited_whatever_its_status(session: Session, behaviour: str, code: int) -> None:
    ended = end_of(session, behaviour, code=code)
    assert ended == Ended(Verdict.EXITED, "call", f"the process exited with status {code} before it had answered")


def test_an_exit_inside_a_frame_is_an_exit_too(session: Session) -> None:
    assert end_of(session, "half_a_frame_and_exit").verdict is Verdict.EXITED


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_a_signal_is_a_runtime_error_that_names_it(session: Session, number: signal.Signals) -> None:
    ended = end_of(session, "kill_itself", signal=int(number))
    assert ended == Ended(Verdict.RUNTIME_ERROR, "call", f"the process was killed by {number.name}")


def test_a_crash_of_native_code_is_a_runtime_error(session: Session) -> None:
    assert end_of(session, "crash").detail == "the process was killed by SIGSEGV"


@pytest.mark.parametrize("behaviour", ["garbage", "huge_frame", "wrong_id", "id_that_is_only_equal", "hang_up"])
def test_what_is_no_answer_to_the_request_is_a_runtime_error(session: Session, behaviour: str) -> None:
    ended = end_of(session, behaviour)
    assert ended.verdict is Verdict.RUNTIME_ERROR
    assert "protocol" in ended.detail


def test_a_second_answer_is_a_runtime_error_by_the_next_request_at_the_latest(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child, pytest.raises(ChildEnded) as caught:
        child.request({"request": "answer_twice"}, stage="call", cpu_s=10)
        child.request({"request": "sleep"}, stage="call", cpu_s=10)
    assert caught.value.ended.verdict is Verdict.RUNTIME_ERROR


def test_an_answer_above_the_caps_is_refused(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child, pytest.raises(ChildEnded) as caught:
        child.request({"request": "echo"}, [b"x" * 2000], stage="call", cpu_s=10, caps=Caps(body_bytes=1000))
    assert caught.value.ended.verdict is Verdict.RUNTIME_ERROR


def test_an_exception_of_a_handler_tells_its_type_and_nothing_that_runs_code(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        error = child.request({"request": "raise_with_a_hostile_name"}, stage="call", cpu_s=10).header["error"]
    assert error == {"type": "E" * 100, "message": "", "line": 0, "text": ""}


def test_a_spent_child_repeats_its_first_reason(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        for _ in range(2):
            with pytest.raises(ChildEnded) as caught:
                child.request({"request": "exit", "code": 7}, stage="load", cpu_s=10)
            assert caught.value.ended == Ended(
                Verdict.EXITED, "load", "the process exited with status 7 before it had answered"
            )


def test_a_stuck_collective_is_a_deadlock_and_says_what_it_waited_for(session: Session) -> None:
    ended = end_of(session, "deadlock", cpu_s=2.0, limits=replace(LIMITS, wall_factor=2.0), devices=8)
    assert ended.verdict is Verdict.DEADLOCK
    assert "(all reduce) waited for all of 8 devices" in ended.detail


def test_the_time_of_a_whole_life_is_a_time_limit(open_session: Callable[[SandboxSettings], Session]) -> None:
    session = open_session(SandboxSettings(lifetime_cpu_s=1.0))
    for behaviour in ("spin", "ignore_signals_and_spin"):
        ended = end_of(session, behaviour, cpu_s=60.0)
        assert ended == Ended(Verdict.TIME_LIMIT, "call", "it used up the CPU time of its whole life")


def test_a_child_cannot_fork_execute_or_signal_its_way_out(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        results = child.request({"request": "try_to_leave"}, stage="call", cpu_s=10).header["results"]
    assert set(results.values()) == {"1"}


def test_a_child_that_ends_before_it_is_ready_is_the_fault_of_the_judge(session: Session) -> None:
    with pytest.raises(JudgeFault, match="run: judge doctor"):
        session.open("exits", devices=0, limits=LIMITS)
    with pytest.raises(JudgeFault, match="run: judge doctor"):
        session.open("no such kind", devices=0, limits=LIMITS)
    assert session.open("behave", devices=0, limits=LIMITS).pid


def test_several_children_of_a_session_are_told_apart(session: Session) -> None:
    with (
        session.open("behave", devices=0, limits=LIMITS) as first,
        session.open("behave", devices=0, limits=LIMITS) as second,
        session.open("behave", devices=0, limits=LIMITS) as third,
    ):
        with pytest.raises(ChildEnded, match="status 5"):
            second.request({"request": "exit", "code": 5}, stage="call", cpu_s=10)
        with pytest.raises(ChildEnded, match="status 6"):
            first.request({"request": "exit", "code": 6}, stage="call", cpu_s=10)
        assert third.request({"request": "echo", "echo": 3}, stage="call", cpu_s=10).header["echo"] == 3


def test_a_child_that_died_between_two_requests_is_told_at_the_next(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        os.kill(child.pid, signal.SIGKILL)
        with pytest.raises(ChildEnded) as caught:
            child.request({"request": "echo"}, stage="call", cpu_s=10)
    assert caught.value.ended == Ended(Verdict.RUNTIME_ERROR, "call", "the process was killed by SIGKILL")


def test_an_answer_of_a_child_that_is_reported_dead_is_not_taken_for_the_next(session: Session) -> None:
    with session.open("behave", devices=0, limits=LIMITS) as child:
        child.request({"request": "answer_the_next_too_and_exit"}, stage="call", cpu_s=10)
        os.kill(child.pid, signal.SIGUSR1)
        # Its end is known before the next question is put, and its answer to that lies in the channel.
        assert session.exit_of(child._identity, 20.0) is not None
        with pytest.raises(ChildEnded) as caught:
            child.request({"request": "echo"}, stage="call", cpu_s=10)
    assert caught.value.ended.verdict is Verdict.RUNTIME_ERROR
    assert "nobody asked for" in caught.value.ended.detail


def test_no_process_is_left_after_close(open_session: Callable[[SandboxSettings], Session]) -> None:
    before = descendants()
    session = open_session(SandboxSettings())
    children = [session.open("behave", devices=1, limits=LIMITS) for _ in range(3)]
    assert len(descendants() - before) >= 4
    session.close()
    assert descendants() <= before
    assert not any(alive(child.pid) for child in children)
    session.close()


def test_a_launcher_that_was_killed_is_a_fault_of_the_judge_and_is_started_anew(
    open_session: Callable[[SandboxSettings], Session],
) -> None:
    session = open_session(SandboxSettings())
    child = session.open("behave", devices=0, limits=LIMITS)
    launcher = session._launcher
    assert launcher is not None
    os.kill(launcher.pid, signal.SIGKILL)

    with pytest.raises(JudgeFault, match="--jobs"):
        child.request({"request": "sleep"}, stage="call", cpu_s=10)
    with session.open("behave", devices=0, limits=LIMITS) as anew:
        assert anew.request({"request": "echo", "echo": 1}, stage="call", cpu_s=10).header["echo"] == 1
    assert session._launcher is not launcher
    assert not alive(child.pid)
    assert not alive(launcher.pid)


def test_a_python_that_cannot_be_started_is_told_with_a_remedy() -> None:
    from judge.errors import UsageError

    with (
        pytest.raises(UsageError, match="cannot be used as the interpreter"),
        Session(SandboxSettings(python=Path("/nonexistent/python"))) as session,
    ):
        session.confinement()


def test_flags_that_xla_does_not_know_are_left_out(open_session: Callable[[SandboxSettings], Session]) -> None:
    session = open_session(SandboxSettings(flags=("--no_such_flag=1", "--xla_backend_optimization_level=0")))
    assert session.confinement().flags == ("--xla_backend_optimization_level=0",)
    with session.open("behave", devices=2, limits=LIMITS) as child:
        assert child.request({"request": "psum"}, stage="call", cpu_s=20).header["sum"] == 1.0


def test_the_thread_that_started_a_session_may_end_before_it(
    open_session: Callable[[SandboxSettings], Session],
) -> None:
    session = open_session(SandboxSettings())
    starter = threading.Thread(target=session.confinement)
    starter.start()
    starter.join()
    with session.open("behave", devices=0, limits=LIMITS) as child:
        assert child.request({"request": "echo", "echo": 1}, stage="call", cpu_s=10).header["echo"] == 1


@pytest.mark.parametrize("bubblewrap", [None, False], ids=["as it comes", "without bubblewrap"])
def test_a_judge_that_is_killed_leaves_no_process(bubblewrap: bool | None) -> None:
    code = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.sandbox.conftest import LIMITS, behaving, descendants
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
session = Session(behaving(SandboxSettings(bubblewrap={bubblewrap})))
child = session.open("behave", devices=1, limits=LIMITS)
print(*descendants(), flush=True)
child.request({{"request": "ignore_signals_and_spin"}}, stage="call", cpu_s=60)
"""
    judge = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert judge.stdout is not None
    pids = [int(pid) for pid in judge.stdout.readline().split()]
    assert len(pids) >= 2
    assert all(map(alive, pids))
    waiting = [os.pidfd_open(pid) for pid in pids]

    judge.kill()
    judge.wait()
    judge.stdout.close()

    import select

    for pidfd in waiting:
        assert select.select([pidfd], [], [], 20)[0], "a process of the sandbox outlives the judge"
        os.close(pidfd)
