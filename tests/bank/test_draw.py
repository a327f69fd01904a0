from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge import fuzz
from judge.bank import draw_bank, stand_in
from judge.bank.make import key
from judge.errors import FaultyFile
from judge.model.case import Bank, Case
from judge.oracle.client import Oracle
from tests.support.authored import MASKED, MASKED_SPEC, STEP, STEP_SPEC, authored, masked_problem, step_problem

ROOT = Path(__file__).resolve().parents[2]

IN_ANOTHER_PROCESS = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
# A module that is not installed, full of constants that would fit: they must not find their way into what is drawn.
floats = [-2 + number / 128 for number in range(512)]
Path(sys.argv[2], "local_constants.py").write_text(f"FLOATS = {floats}\\nINTS = {list(range(100))}\\n")
import local_constants
from judge import fuzz
from judge.bank import draw_bank
from judge.bank.make import key
from judge.oracle.client import Oracle
from tests.support.authored import step_problem
with Oracle(step_problem(Path(sys.argv[2]))) as oracle:
    for seed in range(5):
        bank = draw_bank(oracle.problem, seed, oracle)
        tried = []
        fuzz.search(oracle.problem, bank, oracle, lambda case: bool(tried.append(key(case.inputs))), seed=seed)
        print(bank.digest, sum(repr(tried).encode()))
"""


@pytest.fixture
def oracle(tmp_path: Path) -> Iterator[Oracle]:
    with Oracle(step_problem(tmp_path)) as running:
        yield running


@pytest.fixture
def masked(tmp_path: Path) -> Iterator[Oracle]:
    with Oracle(masked_problem(tmp_path)) as running:
        yield running


def bank_of(oracle: Oracle, seed: int = 7) -> Bank:
    return draw_bank(oracle.problem, seed, oracle)


def test_pinned_cases_come_first_and_then_as_many_as_were_asked_for(oracle: Oracle) -> None:
    bank = bank_of(oracle)
    assert [case.id for case in bank.cases[:3]] == ["example-1", "hidden-by-rule", "fuzz-001"]
    assert Counter(case.group for case in bank.cases) == {"examples": 1, "hidden": 1, "fuzzed": 24}


def test_a_seed_gives_the_same_bits_again_and_another_seed_other_ones(oracle: Oracle) -> None:
    assert bank_of(oracle).digest == bank_of(oracle).digest
    assert bank_of(oracle).digest != bank_of(oracle, seed=8).digest


def test_a_seed_gives_the_same_bits_and_the_same_search_in_another_process(oracle: Oracle, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    script = [sys.executable, "-c", IN_ANOTHER_PROCESS, str(ROOT), str(other)]
    found = subprocess.run(script, check=True, capture_output=True, text=True, cwd=other).stdout.splitlines()
    here = []
    for seed in range(5):
        bank = bank_of(oracle, seed)
        tried: list[object] = []

        def passes(case: Case, tried: list[object] = tried) -> bool:
            tried.append(key(case.inputs))
            return False

        fuzz.search(oracle.problem, bank, oracle, passes, seed=seed)
        here.append(f"{bank.digest} {sum(repr(tried).encode())}")
    assert found == here
    # Nor does Hypothesis leave its folder behind where a grader works.
    assert not (other / ".hypothesis").exists()


def test_drawing_leaves_the_global_generators_as_they_were(oracle: Oracle) -> None:
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002  it is the global one that is watched
    before = random.random(), np.random.random()  # noqa: NPY002
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    bank_of(oracle)
    assert (random.random(), np.random.random()) == before  # noqa: NPY002


def test_two_threads_draw_what_one_draws(oracle: Oracle) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(bank_of(oracle).digest)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [bank_of(oracle).digest] * 2


def test_no_two_cases_are_alike_and_none_is_the_throwaway(oracle: Oracle) -> None:
    bank = bank_of(oracle)
    assert len({key(case.inputs) for case in (*bank.cases, *bank.throwaways)}) == len(bank.cases) + 2


def test_every_shape_meets_every_rate_and_every_stratum(oracle: Oracle) -> None:
    met = {
        (case.signature, case.inputs["lr"], case.stratum) for case in bank_of(oracle).cases if case.group == "fuzzed"
    }
    assert len(met) == 2 * 2 * 2


def test_strata_are_met_by_their_weights(oracle: Oracle) -> None:
    met = Counter(case.stratum for case in bank_of(oracle).cases if case.group == "fuzzed")
    assert met == {"unit": 16, "offset": 8}


def test_values_fill_their_range_and_are_hardly_ever_equal(oracle: Oracle) -> None:
    fuzzed = [case for case in bank_of(oracle).cases if case.stratum == "unit" and case.group == "fuzzed"]
    for case in fuzzed:
        x = np.asarray(case.inputs["x"])
        assert x.dtype == np.float32
        assert (np.abs(x) <= 2).all()
        assert len(np.unique(x)) > x.size / 2
    everything = np.concatenate([np.ravel(case.inputs["x"]) for case in fuzzed])
    assert everything.min() < -1.8
    assert everything.max() > 1.8
    # Full mantissas: half precision could not hold most of them.
    assert np.mean(everything.astype(np.float16) != everything) > 0.7


def test_an_offset_moves_the_range(oracle: Oracle) -> None:
    for case in bank_of(oracle).cases:
        if case.stratum == "offset":
            assert (np.abs(np.asarray(case.inputs["y"]) - 10000) <= 1).all()


def test_the_category_of_a_fuzzed_case_is_its_stratum_and_its_sizes(oracle: Oracle) -> None:
    found = {case.category for case in bank_of(oracle).cases if case.group == "fuzzed"}
    assert "targets near 10000, N=8, D=3" in found
    assert "Numbers of everyday size, N=4, D=1" in found


def test_inputs_may_not_be_written_to(oracle: Oracle) -> None:
    for case in bank_of(oracle).cases:
        assert not any(value.flags.writeable for value in case.inputs.values() if isinstance(value, np.ndarray))


def test_the_throwaway_has_the_signature_and_rate_of_the_first_example(oracle: Oracle) -> None:
    bank = bank_of(oracle)
    assert bank.throwaways[0].signature == bank.cases[0].signature
    assert bank.throwaways[0].inputs["lr"] == bank.cases[0].inputs["lr"]
    assert bank.throwaways[0].shareable


def test_a_case_by_rule_is_the_draws_that_the_rule_promises(oracle: Oracle) -> None:
    rng = np.random.Generator(np.random.PCG64(5))
    inputs = bank_of(oracle).cases[1].inputs
    for name, shape in (("w", (3,)), ("x", (8, 3)), ("y", (8,))):
        np.testing.assert_array_equal(inputs[name], rng.uniform(-2, 2, shape).astype(np.float32))


def test_masks_have_a_true_element_and_as_many_empty_shards_as_asked(masked: Oracle) -> None:
    shares = []
    for case in bank_of(masked).cases:
        if case.group != "fuzzed":
            continue
        mask = np.asarray(case.inputs["mask"])
        assert mask.any()
        assert (~mask.reshape(4, -1).any(axis=1)).sum() == 3
        shares.append(mask.sum())
    assert len(set(shares)) > 1


def test_rows_that_are_not_valid_hold_the_values_of_the_padding(masked: Oracle) -> None:
    for case in (*bank_of(masked).cases, *bank_of(masked).throwaways):
        if case.stratum:
            x, mask = np.asarray(case.inputs["x"]), np.asarray(case.inputs["mask"])
            assert set(np.abs(x[~mask])) == {np.float32(1e18)}
            assert (np.abs(x[mask]) <= 2).all()


def test_static_values_make_signatures(masked: Oracle) -> None:
    assert {dict(one.static)["times"] for one in bank_of(masked).signatures()} == {1, 2, 3}


def test_a_range_that_is_too_narrow_for_so_many_cases_is_a_faulty_file(tmp_path: Path) -> None:
    narrow = {"ranges": {n: {"min": 1.0, "max": 1.0} for n in "wxy"}}
    spec: dict[str, Any] = {**STEP_SPEC, "fuzz": {**STEP_SPEC["fuzz"], "strata": {"unit": narrow}}}
    with Oracle(authored(tmp_path, spec, oracle=STEP)) as running, pytest.raises(FaultyFile) as caught:
        bank_of(running)
    assert "problem.yaml: fuzz stratum unit: its ranges give fewer than" in str(caught.value)


def test_a_shape_without_a_value_for_a_scalar_is_a_faulty_file(tmp_path: Path) -> None:
    shapes = [{"dims": {"N": 4, "D": 1}}]
    spec: dict[str, Any] = {**STEP_SPEC, "fuzz": {**STEP_SPEC["fuzz"], "shapes": shapes}}
    with Oracle(authored(tmp_path, spec, oracle=STEP)) as running, pytest.raises(FaultyFile) as caught:
        bank_of(running)
    assert "fuzz shape 1: it has no `lr`" in str(caught.value)


def test_an_oracle_that_is_not_finite_somewhere_refuses_the_bank(tmp_path: Path) -> None:
    source = MASKED.replace("x[mask]", "x[mask & (x < 0)]")
    with Oracle(authored(tmp_path, MASKED_SPEC, oracle=source)) as running, pytest.raises(FaultyFile) as caught:
        bank_of(running)
    assert "`mean` of `solve` is not finite for N=4" in str(caught.value)


def test_a_stand_in_is_of_the_signature_and_of_no_bank(oracle: Oracle) -> None:
    bank = bank_of(oracle)
    used = {key(case.inputs) for case in (*bank.cases, *bank.throwaways)}
    for place, signature in enumerate(bank.signatures()):
        case = stand_in(oracle.problem, bank, oracle, signature, place)
        assert case.signature == signature
        assert case.shareable
        assert key(case.inputs) not in used
        assert set(case.expected) == {"w", "loss"}


def test_stand_ins_take_turns_over_strata_and_leave_rates_of_zero_out(oracle: Oracle) -> None:
    bank = bank_of(oracle)
    cases = [stand_in(oracle.problem, bank, oracle, bank.signatures()[0], place) for place in range(4)]
    assert [case.stratum for case in cases] == ["unit", "offset", "unit", "offset"]
    assert all(case.inputs["lr"] != 0 for case in cases)
    assert len({case.id for case in cases}) == 4


def test_a_stand_in_is_the_same_for_every_submission(oracle: Oracle) -> None:
    bank = bank_of(oracle)
    one, other = (stand_in(oracle.problem, bank, oracle, bank.signatures()[0], 1) for _ in range(2))
    assert key(one.inputs) == key(other.inputs)
