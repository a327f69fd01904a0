"""The policy of `tests/support/policy.py`, on small suites made for it."""

from __future__ import annotations

import pytest

CONFTEST = """
import sys
sys.path.append({root!r})
from tests.support.policy import *
"""
INI = """
[pytest]
markers = long(reason): left out
addopts = -m "not long" --strict-markers -p no:cacheprovider -p no:hypothesispytest
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    from tests.support import ROOT

    pytester.makeini(INI)
    pytester.makeconftest(CONFTEST.format(root=str(ROOT)))
    return pytester


def run(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, source: str, *, ci: bool) -> pytest.RunResult:
    monkeypatch.setenv("CI", "true" if ci else "")
    suite.makepyfile(source)
    return suite.runpytest_inprocess()


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n@pytest.mark.skip(reason='no bwrap')\ndef test_a(): pass\n",
        "import pytest\ndef test_a(): pytest.skip('no bwrap')\n",
        "import pytest\n@pytest.fixture\ndef box(): pytest.skip('no bwrap')\ndef test_a(box): pass\n",
        "import pytest\npytest.skip('no bwrap', allow_module_level=True)\n",
        "import pytest\npytest.importorskip('no_such_module_here', reason='no bwrap')\n",
    ],
    ids=["mark", "call", "fixture", "module", "importorskip"],
)
def test_a_skip_is_a_failure_in_ci_and_a_skip_elsewhere(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    elsewhere = run(suite, monkeypatch, source, ci=False)
    elsewhere.assert_outcomes(skipped=1)

    ci = run(suite, monkeypatch, source, ci=True)
    assert ci.ret != 0
    ci.stdout.fnmatch_lines(["*could not run, and CI=true allows no skips: *no bwrap*"])


def test_an_expected_failure_stays_one_in_ci(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_a(): assert False\n"
    run(suite, monkeypatch, source, ci=True).assert_outcomes(xfailed=1)


def test_the_summary_says_what_was_left_out_and_why(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
import pytest
@pytest.mark.long("builds a wheel")
@pytest.mark.parametrize("n", [1, 2])
def test_a(n): pass
@pytest.mark.long("grades a class")
def test_b(): pass
def test_c(): pass
"""
    result = run(suite, monkeypatch, source, ci=False)
    result.assert_outcomes(passed=1, deselected=3)
    result.stdout.fnmatch_lines(["*left out of this run*", "*2 tests: builds a wheel", "*1 test: grades a class"])


def test_nothing_is_said_of_long_tests_when_none_is_left_out(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(suite, monkeypatch, "def test_a(): pass\n", ci=False)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*left out of this run*")


def test_a_long_test_without_a_reason_stops_the_run(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(suite, monkeypatch, "import pytest\n@pytest.mark.long\ndef test_a(): pass\n", ci=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*`long` needs its reason*"])
