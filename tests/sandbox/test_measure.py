"""A process seen from outside: computing, or waiting."""

from __future__ import annotations

import pytest

from judge.sandbox.measure import Activity


def watched(cores: list[float], step_s: float = 0.1) -> bool:
    """Whether a process is busy in the end that used these shares of a core, a step each."""
    now_s, cpu_s = 100.0, 7.0
    activity = Activity(now_s, cpu_s)
    for share in cores:
        now_s, cpu_s = now_s + step_s, cpu_s + share * step_s
        activity.note(now_s, cpu_s)
    return activity.busy(now_s, cpu_s)


def test_a_process_that_computes_to_the_end_is_busy() -> None:
    assert watched([1.0] * 50)
    assert watched([0.1] * 50)
    assert watched([1.0])


def test_a_process_that_has_waited_for_two_seconds_is_not_busy_whatever_it_did_before() -> None:
    assert not watched([8.0] * 50 + [0.0] * 21)
    assert not watched([0.01] * 50)
    assert not watched([])


@pytest.mark.parametrize("steps", range(1, 30))
def test_what_computes_at_last_is_busy_again(steps: int) -> None:
    assert watched([0.0] * 50 + [1.0] * steps)
