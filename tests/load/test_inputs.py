"""A file with the inputs of one case."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from judge.errors import UsageError
from judge.load import inputs
from judge.load.inputs import read_inputs
from judge.model.problem import Spec
from tests.support.authored import MASKED_SPEC, STEP_SPEC

STEP = Spec.model_validate(STEP_SPEC)
MASKED = Spec.model_validate(MASKED_SPEC)
GOOD = {"w": [0], "x": [[1], [2], [3], [4.5]], "y": [1, 2, 3, 4], "lr": 1}


def said(tmp_path: Path, content: str, spec: Spec = STEP) -> list[str]:
    """The lines of the refusal, without the name of the file."""
    file = tmp_path / "case.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        read_inputs(spec, file)
    lines = str(error.value).splitlines()
    assert all(line.startswith(str(file)) for line in lines)
    return [line.removeprefix(str(file)) for line in lines]


def test_inputs_come_in_call_order_and_in_the_dtypes_of_the_problem(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    # Editors of Windows begin a file with a byte order mark.
    file.write_text("\ufeff" + json.dumps(dict(reversed(GOOD.items()))), encoding="utf-8")
    found = read_inputs(STEP, file)
    assert list(found) == ["w", "x", "y", "lr"]
    assert isinstance(found["x"], np.ndarray) and found["x"].dtype == np.float32 and found["x"].shape == (4, 1)
    assert found["lr"] == 1.0 and isinstance(found["lr"], float)


def test_masks_and_tuples_of_ints_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text('{"x": [1, 2, 3, 4], "mask": [true, false, false, true], "times": 3, "counts": [1, 3]}')
    found = read_inputs(MASKED, file)
    assert found["counts"] == (1, 3) and found["times"] == 3
    assert np.asarray(found["mask"]).tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"lr": "fast"}, ": `lr` is fast, not a finite number; give a number"),
        ({"lr": [0.1]}, ": `lr` is [0.1], not a finite number; give a number"),
        ({"w": 3}, ": `w` has 0 axes and not 1; give a float32 array of shape [D] as nested lists"),
        ({"w": ["a"]}, ": `w` holds text; give a float32 array of shape [D] as nested lists"),
        ({"w": [None]}, ": `w` holds null or an object; give a float32 array of shape [D] as nested lists"),
        ({"w": [float("nan")]}, ": `w` holds nan or inf; give a float32 array of shape [D] as nested lists"),
        ({"w": [1e60]}, ": `w` holds a number that float32 has no room for; give a float32 array of shape [D]"),
        ({"x": [[1], [2, 3]]}, ": `x` has rows of different lengths; give a float32 array of shape [N, D]"),
        ({"y": [1, 2, 3]}, ": `y` has 3 along axis 0, where N is 4; make the shapes agree"),
        ({"z": 1}, ": `z` is not an input; the inputs are w, x, y, lr"),
        ({"x": [[1]] * 5, "y": [1] * 5}, ": N is 5; choose a multiple of 4"),
    ],
)
def test_what_does_not_fit_is_told_with_file_key_and_remedy(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    (line,) = said(tmp_path, json.dumps({**GOOD, **change}))
    assert line.startswith(told)


def test_every_input_that_does_not_fit_is_told_at_once(tmp_path: Path) -> None:
    assert len(said(tmp_path, json.dumps({**GOOD, "lr": None, "w": [[1]], "z": 0}))) == 3


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{\n]", ":2: it is not JSON"),
        ("[1]", ": it holds no object"),
        ("[" * 100_000, ": it is not JSON"),
    ],
)
def test_what_is_no_object_of_json_is_refused(tmp_path: Path, content: str, told: str) -> None:
    assert said(tmp_path, content)[0].startswith(told)


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"nowhere.json cannot be read: No such file or directory; name a JSON file"):
        read_inputs(STEP, tmp_path / "nowhere.json")
    monkeypatch.setattr(inputs, "MAX_BYTES", 10)
    assert said(tmp_path, json.dumps(GOOD)) == [": it is larger than 0 MiB; write the inputs of one case"]
