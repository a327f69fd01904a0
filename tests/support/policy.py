"""The policy of a test run, as a pytest plugin.

- `long(reason)` marks what the default tier leaves out. The reason is required, and the summary of every run that left
  such tests out says how many and why.
- Under `CI=true` a test that cannot run is a failure: nothing may be skipped there without being seen.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Sequence

import pytest

LEFT_OUT = pytest.StashKey[Counter[str]]()


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() == "true"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = Counter()


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        for marker in item.iter_markers("long"):
            if not _reason(marker):
                raise pytest.UsageError(f"{item.nodeid}: `long` needs its reason: @pytest.mark.long('builds a wheel')")


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        marker = item.get_closest_marker("long")
        if marker is not None:
            item.config.stash[LEFT_OUT][_reason(marker)] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = config.stash[LEFT_OUT]
    if not left_out:
        return
    terminalreporter.section("left out of this run; `pytest -m long` runs them")
    for reason, count in sorted(left_out.items()):
        terminalreporter.write_line(f"{count:4} {'test' if count == 1 else 'tests'}: {reason}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure is reported as skipped too; it did run.
    if in_ci() and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} could not run, and CI=true allows no skips: {_why(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if in_ci() and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} could not run, and CI=true allows no skips: {_why(report.longrepr)}"
    return report


def _reason(marker: pytest.Mark) -> str:
    reason = marker.args[0] if marker.args else marker.kwargs.get("reason", "")
    return str(reason)


def _why(longrepr: object) -> str:
    # pytest keeps a skip as (file, line, reason).
    return str(longrepr[2]) if isinstance(longrepr, tuple) and len(longrepr) == 3 else str(longrepr)
