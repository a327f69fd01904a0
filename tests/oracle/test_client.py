from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.errors import FaultyFile
from judge.oracle.client import MistakeFailed, Oracle, OracleStopped
from tests.support.authored import STEP, masked_problem, step_problem

INPUTS: dict[str, Any] = {
    "w": np.array([0.5, -1.0], np.float32),
    "x": np.array([[1, 2], [3, 4], [5, 6], [7, 9]], np.float32),
    "y": np.array([1, 2, 3, 4.1], np.float32),
    "lr": 0.1,
}


@pytest.fixture
def oracle(tmp_path: Path) -> Iterator[Oracle]:
    with Oracle(step_problem(tmp_path)) as running:
        yield running


def by_hand() -> dict[str, Any]:
    w, x, y = (INPUTS[name].astype(np.float64) for name in "wxy")
    residual = x @ w - y
    return {"w": w - 0.1 * 2.0 * x.T @ residual / 4, "loss": np.mean(residual**2)}


def fault_of(tmp_path: Path, source: str, **limits: Any) -> str:
    with Oracle(step_problem(tmp_path, oracle=source, mistakes=""), **limits) as broken:
        with pytest.raises(FaultyFile) as caught:
            broken.with_tolerance(INPUTS)
        return str(caught.value)


def test_the_expected_values_are_those_of_the_formula_on_the_float32_inputs_in_float64(oracle: Oracle) -> None:
    outputs = oracle.solve(INPUTS)
    assert list(outputs) == ["w", "loss"]
    for key, value in by_hand().items():
        assert outputs[key].dtype == np.float64
        np.testing.assert_array_equal(outputs[key], value)


def test_a_tolerance_is_positive_and_the_same_in_every_worker(oracle: Oracle) -> None:
    first = oracle.with_tolerance(INPUTS)[1]
    oracle.close()
    second = oracle.with_tolerance(INPUTS)[1]
    for key, tolerance in first.items():
        assert (tolerance > 1e-6).all()
        assert (tolerance < 1e-3).all()
        np.testing.assert_array_equal(tolerance, second[key])


def test_many_cases_are_answered_in_their_order(oracle: Oracle) -> None:
    many = [{**INPUTS, "lr": rate / 100} for rate in range(40)]
    for inputs, (outputs, tolerance) in zip(many, oracle.with_tolerances(many), strict=True):
        alone = oracle.with_tolerance(inputs)
        np.testing.assert_array_equal(outputs["w"], alone[0]["w"])
        np.testing.assert_array_equal(tolerance["w"], alone[1]["w"])


def test_whole_numbers_and_bools_stay_exact_and_have_no_tolerance(tmp_path: Path) -> None:
    inputs: dict[str, Any] = {
        "x": np.array([1, 2, 3, 1e18], np.float32),
        "mask": np.array([True, True, False, False]),
        "times": 2,
        "counts": (1, 3),
    }
    with Oracle(masked_problem(tmp_path)) as running:
        outputs, tolerance = running.with_tolerance(inputs)
    assert outputs["valid"].dtype == np.int64
    assert outputs["valid"] == 2
    assert outputs["parts"].dtype == np.bool_
    assert outputs["parts"].tolist() == [False, True]
    assert tolerance["valid"] == 0
    assert not tolerance["parts"].any()
    # The padding of 1e18 is no part of the mean, and of no part of its tolerance.
    assert outputs["mean"] == 3.0
    assert tolerance["mean"] < 1e-5


def test_inputs_arrive_as_float64_bool_float_int_and_tuple(tmp_path: Path) -> None:
    source = """
        import numpy as np
        def solve(x, mask, times, counts):
            kinds = [str(x.dtype), str(mask.dtype), type(times).__name__, type(counts).__name__]
            assert kinds == ["float64", "bool", "int", "tuple"], kinds
            return {"mean": 0.0, "valid": 1, "parts": np.array([True, False])}
    """
    inputs: dict[str, Any] = {"x": np.zeros(4, np.float32), "mask": np.ones(4, bool), "times": 1, "counts": (1, 3)}
    with Oracle(masked_problem(tmp_path, oracle=source)) as running:
        assert running.solve(inputs)["valid"] == 1


def test_mistakes_are_the_public_functions_with_dashes_and_their_docstrings(oracle: Oracle) -> None:
    found = {mistake.name: mistake.hint for mistake in oracle.mistakes()}
    assert list(found) == ["four-times", "ascent", "nothing-updated", "rate-as-integer"]
    assert found["four-times"] == "Your gradient is the sum of the shard means."


def test_a_problem_without_mistakes_has_none(tmp_path: Path) -> None:
    with Oracle(step_problem(tmp_path, mistakes="")) as running:
        assert running.mistakes() == []
        assert running.all_mistakes(INPUTS) == {}


def test_a_mistake_answers_for_itself_and_all_of_them_by_name(oracle: Oracle) -> None:
    outputs = oracle.all_mistakes(INPUTS)["nothing-updated"]
    assert not isinstance(outputs, MistakeFailed)
    np.testing.assert_array_equal(outputs["w"], INPUTS["w"])


def test_a_mistake_that_raises_or_returns_another_shape_has_failed_and_the_others_have_not(tmp_path: Path) -> None:
    source = '''
        import numpy as np
        def raises(w, x, y, lr):
            """A hint."""
            raise ValueError("not for these sizes")
        def transposed(w, x, y, lr):
            """A hint."""
            return {"w": w[None], "loss": 0.0}
        def not_finite(w, x, y, lr):
            """A hint."""
            return {"w": w * np.nan, "loss": 0.0}
    '''
    with Oracle(step_problem(tmp_path, mistakes=source)) as running:
        found = running.all_mistakes(INPUTS)
    assert isinstance(found["raises"], MistakeFailed)
    assert "not for these sizes" in found["raises"].message
    assert isinstance(found["transposed"], MistakeFailed)
    assert not isinstance(found["not-finite"], MistakeFailed)
    assert np.isnan(found["not-finite"]["w"]).all()


def test_a_mistake_without_a_hint_is_a_fault_on_its_line(tmp_path: Path) -> None:
    source = "\ndef silent(w, x, y, lr):\n    return {}\n"
    with Oracle(step_problem(tmp_path, mistakes=source)) as running, pytest.raises(FaultyFile) as caught:
        running.mistakes()
    assert "mistakes.py:2: `silent` has no docstring" in str(caught.value)


def test_a_mistake_with_swapped_parameters_is_a_fault(tmp_path: Path) -> None:
    source = 'def swapped(w, y, x, lr):\n    """A hint."""\n    return {}\n'
    with Oracle(step_problem(tmp_path, mistakes=source)) as running, pytest.raises(FaultyFile) as caught:
        running.mistakes()
    assert "mistakes.py:1" in str(caught.value)
    assert "(w, x, y, lr)" in str(caught.value)


def test_intermediates_are_given_where_the_oracle_defines_them(tmp_path: Path) -> None:
    source = STEP + "\n    def intermediates(w, x, y, lr):\n        return {'residual': (x @ w - y).reshape(4, -1)}\n"
    with Oracle(step_problem(tmp_path, oracle=source, mistakes="")) as running:
        found = running.intermediates(INPUTS)
    assert found is not None
    values, tolerance = found
    assert values["residual"].shape == tolerance["residual"].shape == (4, 1)
    assert (tolerance["residual"] > 0).all()


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("{'residual': (x @ w - y)[None]}", "`residual` of `intermediates` has shape (1, 4)"),
        ("{'residual': 'none'}", "`residual` of `intermediates` has dtype <U4"),
        ("[x @ w - y]", "`intermediates` returned a list"),
        ("{'residual': w @ x.T @ y @ y}", "it raised ValueError"),
    ],
    ids=["not by device", "no numbers", "no dict", "raises"],
)
def test_intermediates_that_cannot_be_used_are_a_fault(tmp_path: Path, returned: str, told: str) -> None:
    source = STEP + f"\n    def intermediates(w, x, y, lr):\n        return {returned}\n"
    with (
        Oracle(step_problem(tmp_path, oracle=source, mistakes="")) as running,
        pytest.raises(FaultyFile) as caught,
    ):
        running.intermediates(INPUTS)
    assert told in str(caught.value)
    assert "oracle.py" in str(caught.value)


def test_intermediates_are_none_where_the_oracle_has_none(oracle: Oracle) -> None:
    assert oracle.intermediates(INPUTS) is None


BROKEN = {
    "raises": ("def solve(w, x, y, lr):\n    return {'w': w @ x, 'loss': 0.0}\n", "oracle.py:2", "ValueError"),
    "no NumPy": ("import numpyy\n", "oracle.py:1", "ModuleNotFoundError"),
    "does not parse": ("\ndef solve(w, x, y, lr:\n", "oracle.py:2", "SyntaxError"),
    "no solve": ("solve = 3\n", "oracle.py", "no function `solve`"),
    "returns nothing": ("def solve(w, x, y, lr):\n    pass\n", "oracle.py:1", "returned nothing"),
    "misses a key": ("def solve(w, x, y, lr):\n    return {'w': w}\n", "oracle.py:1", "the keys ['w']"),
    "another shape": ("def solve(w, x, y, lr):\n    return {'w': w, 'loss': w}\n", "oracle.py:1", "shape (2,), not ()"),
    "not finite": (
        "def solve(w, x, y, lr):\n    return {'w': w, 'loss': float('nan')}\n",
        "oracle.py:1",
        "`loss` of `solve` is not finite for N=4, D=2",
    ),
    "objects": ("def solve(w, x, y, lr):\n    return {'w': w, 'loss': None}\n", "oracle.py:1", "dtype object"),
    "a bool for a float": ("def solve(w, x, y, lr):\n    return {'w': w, 'loss': True}\n", "oracle.py:1", "bool"),
    "changes its inputs": (
        "def solve(w, x, y, lr):\n    w -= lr\n    return {'w': w, 'loss': 0.0}\n",
        "oracle.py:2",
        "inputs may not be changed",
    ),
    "draws at random": (
        "import numpy as np\ndef solve(w, x, y, lr):\n    return {'w': w, 'loss': np.random.rand()}\n",
        "oracle.py:2",
        "keep no state and draw no random numbers",
    ),
    "leaves": ("def solve(w, x, y, lr):\n    raise SystemExit(0)\n", "oracle.py:2", "SystemExit"),
    "leaves at once": (
        "import os\ndef solve(w, x, y, lr):\n    os._exit(3)\n",
        "oracle.py:2",
        "ended its process (exit status 3)",
    ),
    "is killed": (
        "import os\ndef solve(w, x, y, lr):\n    os.kill(os.getpid(), 9)\n",
        "oracle.py:2",
        "ended its process (SIGKILL)",
    ),
    "takes all memory": (
        "import numpy as np\ndef solve(w, x, y, lr):\n    return {'w': w, 'loss': np.zeros(1 << 36).sum()}\n",
        "oracle.py:3",
        "more memory",
    ),
    "JAX": ("import jax\n", "oracle.py:1", "an oracle is NumPy only"),
    "swapped parameters": ("def solve(w, y, x, lr):\n    return {}\n", "oracle.py:1", "(w, x, y, lr)"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_oracle_is_a_faulty_file_with_its_line(tmp_path: Path, name: str) -> None:
    source, place, message = BROKEN[name]
    text = fault_of(tmp_path, source)
    assert place in text
    assert message in text


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def solve(w, x, y, lr):\n    while True: pass\n", "oracle.py:1: `solve` did not answer within 0.5 s"),
        ("import time\ndef solve(w, x, y, lr):\n    time.sleep(1000)\n", "oracle.py:2: `solve` did not answer"),
    ],
)
def test_an_endless_oracle_is_a_faulty_file_and_not_a_hang(tmp_path: Path, source: str, place: str) -> None:
    assert place in fault_of(tmp_path, source, time_limit_s=0.5)


def test_a_missing_oracle_is_named(tmp_path: Path) -> None:
    with Oracle(step_problem(tmp_path, oracle="", mistakes="")) as running, pytest.raises(FaultyFile) as caught:
        running.solve(INPUTS)
    assert "oracle.py: there is no such file" in str(caught.value)


def test_after_a_time_out_the_next_call_is_answered_by_another_worker(tmp_path: Path) -> None:
    source = """
        import numpy as np
        def solve(w, x, y, lr):
            while lr > 1: pass
            return {"w": w, "loss": 0.0}
    """
    with Oracle(step_problem(tmp_path, oracle=source, mistakes=""), time_limit_s=0.5) as running:
        with pytest.raises(OracleStopped):
            running.solve({**INPUTS, "lr": 2.0})
        np.testing.assert_array_equal(running.solve(INPUTS)["w"], INPUTS["w"])


def test_what_the_author_prints_is_no_part_of_the_protocol(tmp_path: Path) -> None:
    source = """
        import os, sys
        print("at import")
        def solve(w, x, y, lr):
            print("JUDGE" * 1000)
            sys.stdout.flush()
            os.write(1, b"JUDGE")
            os.write(2, b"noise")
            assert sys.stdin.read() == ""
            return {"w": w, "loss": 0}
    """
    with Oracle(step_problem(tmp_path, oracle=source, mistakes="")) as running:
        assert running.solve(INPUTS)["loss"] == 0.0
        assert running.solve(INPUTS)["loss"].dtype == np.float64


def test_no_compiled_files_are_left_in_the_problem(oracle: Oracle) -> None:
    oracle.mistakes()
    assert sorted(path.name for path in oracle.problem.folder.iterdir()) == ["mistakes.py", "oracle.py"]


def test_a_closed_oracle_starts_again_when_it_is_asked(oracle: Oracle) -> None:
    oracle.solve(INPUTS)
    oracle.close()
    oracle.close()
    assert oracle.solve(INPUTS)["w"].shape == (2,)
