"""Which case may lend its rows to another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judge.checks.relations.every_shard_matters import derive
from judge.model.case import Case
from judge.model.problem import Relation
from tests.support.answers import W, bank, case, spec

RELATION = Relation(name="every_shard_matters", inputs=("x",))
BASE = replace(case("example-1"), inputs={"x": W + 1, "lr": 0.1})


def lending(x: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Case:
    """A case that no trial may start from."""
    return replace(case("hidden-zero", "hidden"), inputs={"x": x, "lr": 0.0})


def test_rows_that_differ_on_every_device_make_a_trial() -> None:
    (trial,) = derive(spec(), RELATION, bank(BASE, lending(W + 2)), np.random.default_rng(0))
    assert len(trial.derived) == 2


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [1, 0, 3, 2]])
def test_a_case_with_the_same_rows_in_whatever_order_lends_none(rows: list[int]) -> None:
    # A right answer would not change, and be called wrong.
    assert not list(derive(spec(), RELATION, bank(BASE, lending((W + 1)[rows])), np.random.default_rng(0)))


def test_a_case_that_differs_on_one_device_alone_lends_none() -> None:
    other = W + 1
    other[3] += 5
    assert not list(derive(spec(), RELATION, bank(BASE, lending(other)), np.random.default_rng(0)))
