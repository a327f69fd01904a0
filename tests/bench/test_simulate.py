"""The simulated course, where its answer is known."""

from __future__ import annotations

import pytest

from tests.bench.simulate import Costs, simulate, table

FREE = Costs(submissions=(1.0, 3.0), scheduler_s=0.0, judge_s=0.0, way_s=0.0, start_s=0.0)


def test_without_a_cost_of_scheduling_workers_share_the_work() -> None:
    alone = simulate(FREE, 1000, 1, seed=3)
    assert alone.workers_busy == pytest.approx(1.0)
    eight = simulate(FREE, 1000, 8, seed=3)
    assert eight.seconds == pytest.approx(alone.seconds / 8, abs=3.0)


@pytest.mark.parametrize("busy", ["scheduler", "judge"])
def test_with_many_workers_whoever_serves_every_task_is_the_limit(busy: str) -> None:
    costs = Costs((1.0,), *((0.01, 0.001) if busy == "scheduler" else (0.001, 0.01)), way_s=0.0, start_s=0.0)
    run = simulate(costs, 10_000, 1024, seed=3)
    assert run.seconds == pytest.approx(0.01 * (10_000 + 1024), rel=0.05)
    assert getattr(run, f"{busy}_busy") > 0.95
    assert f"beyond 100 workers the {busy} is the limit: 100 submissions a second" in table(costs, [run])


def test_the_way_and_the_start_are_paid_by_a_worker_alone() -> None:
    costs = Costs((1.0,), 0.0, 0.0, way_s=0.5, start_s=7.0)
    assert simulate(costs, 10, 1, seed=3).seconds == pytest.approx(7.0 + 10 * 1.5)


def test_more_workers_than_submissions_are_no_faster() -> None:
    assert simulate(FREE, 5, 1024, seed=3).seconds == simulate(FREE, 5, 5, seed=3).seconds
