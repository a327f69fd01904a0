"""Fixtures and policy of the whole suite."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

# Last on the path: `tests.support` is found here, while `judge` is the installed package where there is one.
_ROOT = str(Path(__file__).resolve().parents[1])
if _ROOT not in sys.path:
    sys.path.append(_ROOT)

# A shell that starts the tests in its background has SIGINT ignored, and they would hand that on to what they interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What an earlier run compiled must not decide what a test sees.
os.environ["JUDGE_CACHE"] = ""

from tests.support.policy import (  # noqa: E402  the path comes first
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_deselected,
    pytest_make_collect_report,
    pytest_runtest_makereport,
    pytest_terminal_summary,
)

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_deselected",
    "pytest_make_collect_report",
    "pytest_runtest_makereport",
    "pytest_terminal_summary",
]

# pytester runs pytest in a folder of its own: the policy is tested on small suites made for it.
pytest_plugins = ["pytester"]
