"""Every labelled case gets a verdict that its label allows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge.assess import Context, assess
from judge.bank import draw_bank
from judge.load.problems import load_problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.oracle.client import Oracle
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
from judge.warm import warm
from tests.support import ROOT

CASES = Path(__file__).parent / "cases"
LABELS: dict[str, dict[str, Any]] = {
    folder.name: json.loads((folder / "labels.json").read_text()) for folder in sorted(CASES.iterdir())
}
SEED = 11
NAMED = [(slug, name) for slug, labels in LABELS.items() for name in labels]
#: Judged a second time: a fault of each kind, and what is right.
TWICE = (
    "gradient_ascent_sign.py",
    "check_vma_false_partial.py",
    "lru_cache_on_lr.py",
    "axis_called_batch.py",
    "all_gather_mean.py",
)

pytestmark = pytest.mark.long("judges every labelled case")


class Judged:
    """The records of one problem's cases, each made once."""

    def __init__(self, slug: str, session: Session) -> None:
        self._slug, self._session = slug, session
        self._oracle = Oracle(load_problem(ROOT / "problems" / slug))
        self._bank = draw_bank(self._oracle.problem, SEED, self._oracle)
        self._records: dict[str, Record] = {}

    def record(self, name: str) -> Record:
        if name not in self._records:
            self._records[name] = self.again(name)
        return self._records[name]

    def again(self, name: str) -> Record:
        source = (CASES / self._slug / name).read_bytes()
        submission = Submission(
            "student", self._slug, Path(f"{self._slug}.py"), source, hashlib.sha256(source).hexdigest()
        )
        return assess(Context(self._oracle.problem, self._bank, self._oracle, self._session), submission)

    def close(self) -> None:
        self._oracle.close()


@contextmanager
def judging(settings: SandboxSettings) -> Iterator[dict[str, Judged]]:
    with Session(settings) as session:
        made: dict[str, Judged] = _Lazily(session)
        yield made
        for one in made.values():
            one.close()


@pytest.fixture(scope="module")
def judged() -> Iterator[dict[str, Judged]]:
    with judging(SandboxSettings()) as made:
        yield made


@pytest.fixture(scope="module", params=["with executables that were kept", "without XLA's flags"])
def otherwise(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Judged]]:
    """Judged with a means of speed on or off that `judged` has off or on."""
    settings = SandboxSettings()
    if request.param == "without XLA's flags":
        # What it says of a stuck collective, and how long it waits, is no matter of speed.
        settings = replace(settings, flags=tuple(flag for flag in settings.flags if "collective" in flag))
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("JUDGE_CACHE", str(tmp_path_factory.mktemp("cache")))
            settings = replace(settings, executables=tuple(map(_warmed, LABELS)))
    with judging(settings) as made:
        yield made


def _warmed(slug: str) -> Path:
    problem = load_problem(ROOT / "problems" / slug)
    with Oracle(problem) as oracle:
        place = warm(problem, draw_bank(problem, SEED, oracle), SandboxSettings())
    assert place is not None
    return place


class _Lazily(dict[str, Judged]):
    """A problem's bank is drawn when the first of its cases is judged."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def __missing__(self, slug: str) -> Judged:
        self[slug] = Judged(slug, self._session)
        return self[slug]


@pytest.mark.parametrize(("slug", "name"), NAMED, ids=[f"{slug}-{name}" for slug, name in NAMED])
def test_a_labelled_case_gets_a_verdict_that_its_label_allows(judged: dict[str, Judged], slug: str, name: str) -> None:
    record = judged[slug].record(name)
    label = LABELS[slug][name]
    assert record.verdict.value in label["verdicts"], f"{record.reason} (label: {label.get('why', '')})"
    assert (record.score == record.max_score) == (record.verdict.value == "accepted")
    assert record.reason


@pytest.mark.parametrize(("slug", "name"), NAMED, ids=[f"{slug}-{name}" for slug, name in NAMED])
def test_what_makes_the_judge_faster_changes_no_verdict(
    judged: dict[str, Judged], otherwise: dict[str, Judged], slug: str, name: str
) -> None:
    usual, other = judged[slug].record(name), otherwise[slug].record(name)
    assert (usual.verdict, usual.score, usual.mistake) == (other.verdict, other.score, other.mistake)


def test_the_fault_of_most_wrong_cases_is_named(judged: dict[str, Judged]) -> None:
    wrong = [name for name, label in LABELS["shard-map-step"].items() if "accepted" not in label["verdicts"]]
    records = {name: judged["shard-map-step"].record(name) for name in wrong}
    named = [name for name, one in records.items() if one.mistake or one.verdict.value != "wrong_answer"]
    answers = [one for one in records.values() if one.verdict.value == "wrong_answer"]
    assert 2 * len(named) >= len(wrong)
    # Of wrong numbers alone, too: there only a recognised mistake says what the fault is.
    assert 2 * sum(one.mistake is not None for one in answers) >= len(answers), [
        name for name, one in records.items() if one in answers and one.mistake is None
    ]


@pytest.mark.parametrize("name", TWICE)
def test_judging_again_gives_the_same_record(judged: dict[str, Judged], name: str) -> None:
    first, second = judged["shard-map-step"].record(name), judged["shard-map-step"].again(name)
    for field in Record.__slots__:
        if field not in {"seconds", "usage"}:
            assert getattr(first, field) == getattr(second, field), field
