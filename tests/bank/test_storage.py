from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from judge.bank import draw_bank, dump_bank, load_bank
from judge.bank.make import key
from judge.model.case import Bank
from judge.oracle.client import Oracle
from tests.support.authored import masked_problem


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    folder = tmp_path / "problem"
    folder.mkdir()
    with Oracle(masked_problem(folder)) as oracle:
        return draw_bank(oracle.problem, 3, oracle)


def test_a_bank_comes_back_as_it_was(bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "bank").write_bytes(dump_bank(bank))
    again = load_bank(tmp_path / "bank")
    assert again is not None
    assert (again.seed, again.digest, again.signatures()) == (bank.seed, bank.digest, bank.signatures())
    for one, other in zip((*bank.cases, *bank.throwaways), (*again.cases, *again.throwaways), strict=True):
        assert (one.id, one.group, one.category, one.stratum) == (other.id, other.group, other.category, other.stratum)
        assert key(one.inputs) == key(other.inputs)
        for name, value in one.expected.items():
            assert value.dtype == other.expected[name].dtype
            np.testing.assert_array_equal(value, other.expected[name])
            np.testing.assert_array_equal(one.tolerance[name], other.tolerance[name])
    assert dump_bank(again) == dump_bank(bank)


def test_a_missing_file_is_no_bank(tmp_path: Path) -> None:
    assert load_bank(tmp_path / "bank") is None


@pytest.mark.parametrize("place", [0, 40, 60, 500, -1])
def test_a_file_with_one_other_byte_is_no_bank(bank: Bank, tmp_path: Path, place: int) -> None:
    data = bytearray(dump_bank(bank))
    data[place] ^= 1
    (tmp_path / "bank").write_bytes(data)
    assert load_bank(tmp_path / "bank") is None


@pytest.mark.parametrize("length", [0, 31, 32, 60, 4000])
def test_a_file_that_was_cut_is_no_bank(bank: Bank, tmp_path: Path, length: int) -> None:
    (tmp_path / "bank").write_bytes(dump_bank(bank)[:length])
    assert load_bank(tmp_path / "bank") is None
