"""Relations of a real submission, run with the rest of the bank."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from judge import bank as banks
from judge.assess import Context, assess
from judge.authoring.new import new_problem
from judge.evidence import Evidence
from judge.load.problems import load_problem
from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.sandbox.session import Session
from tests.support.exercises import submission
from tests.support.inside import SETTINGS

SOURCE = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("rows",))

def solve(x):
    def body(x):
        return jax.lax.psum(jnp.sum(x, axis=0), "rows") / DIVISOR
    return {"mean": jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("rows"), out_specs=P()))(x)}
"""


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    problem = load_problem(new_problem(Path(tmp_path_factory.mktemp("problems")), "row-mean"))
    with Oracle(problem) as oracle, Session(SETTINGS) as session:
        yield Context(problem, banks.draw_bank(problem, 11, oracle), oracle, session, budget=0)


def graded(context: Context, divisor: str) -> tuple[Record, Evidence]:
    seen: list[Evidence] = []
    watched = Context(
        context.problem,
        context.bank,
        context.oracle,
        context.session,
        budget=0,
        witness=lambda total, live: seen.append(total),
    )
    record = assess(watched, submission("row-mean", SOURCE.replace("DIVISOR", divisor)))
    return record, seen[0]


def test_a_divisor_that_the_example_cannot_tell_breaks_a_relation(context: Context) -> None:
    record, evidence = graded(context, "4")
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "example-1" in evidence.passed
    broken = {one.check for one in evidence.findings} - {"values"}
    assert broken == {"batch_duplication"}


def test_a_right_submission_keeps_every_relation_and_only_the_bank_is_counted(context: Context) -> None:
    record, evidence = graded(context, "(4 * x.shape[0])")
    assert record.verdict is Verdict.ACCEPTED
    assert evidence.findings == []
    counted = sum(group.total for group in record.groups if group.name in {"examples", "hidden", "fuzzed"})
    assert counted == len(context.bank.cases)
    assert not [name for name in evidence.passed | set(evidence.answers) if name.startswith("relation-")]
