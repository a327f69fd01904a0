"""The schema that editors read is the one that the models make, and every shipped problem names it."""

from __future__ import annotations

import json

from judge.load.schema import problem_schema
from tests.support import ROOT


def test_the_schema_on_disk_is_the_models_own() -> None:
    assert json.loads((ROOT / "problems" / "problem.schema.json").read_text()) == problem_schema()


def test_every_shipped_problem_names_the_schema_in_its_first_line() -> None:
    files = sorted((ROOT / "problems").glob("*/problem.yaml"))
    assert files
    for file in files:
        assert "$schema=../problem.schema.json" in file.read_text().splitlines()[0], file
