"""`judge bundle student`: what students may have of a problem.

    problems/<slug>/problem.yaml    the visible cases, the ranges, the relations; marked `bundle: student`
    problems/<slug>/statement.md
    problems/<slug>/starter.py
    problems/<slug>/oracle.py       unless the problem says `oracle: private`

`problem.yaml` is written anew from the model, for a comment of the author's may tell what a hidden case is about. No hidden
case, no mistake and no solution gets in. Without an oracle the examples carry how far each element may be off.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.bank.make import Draft, finish
from judge.bank.pinned import pinned_inputs
from judge.errors import UsageError
from judge.load.problems import require_whole
from judge.load.writing import problem_yaml
from judge.model.case import Case
from judge.model.problem import PinnedCase, Problem, Spec
from judge.oracle.client import Oracle

HEAD = "What students get of this problem: no hidden case, no mistake, no solution. `judge check` works on it."
Files = dict[str, bytes]


def files(problem: Problem) -> Files:
    """The content of the bundle by path, relative and with slashes.

    Raises:
        UsageError: the problem is a bundle itself.
        FaultyFile: the oracle, which is asked where it is private, is wrong.
    """
    require_whole(problem, "bundle")
    private = problem.spec.oracle == "private"
    found = {
        "problem.yaml": problem_yaml(_spec(problem, private=private), head=HEAD).encode(),
        "statement.md": (problem.folder / "statement.md").read_bytes(),
        "starter.py": problem.starter_file.read_bytes(),
    }
    if not private:
        found["oracle.py"] = problem.oracle_file.read_bytes()
    return {f"problems/{problem.slug}/{name}": content for name, content in found.items()}


def write(bundle: Files, to: Path) -> None:
    """Write a bundle into a zip, or into a folder where other problems may lie.

    Raises:
        UsageError: something is there already, or it cannot be written.
    """
    try:
        if to.suffix.lower() == ".zip":
            with to.open("xb") as file:
                file.write(_zipped(bundle))
            return
        for name in bundle:
            if (to / name).parent.exists():
                raise UsageError(f"{(to / name).parent} exists and is left as it is; name another place with --to")
        for name, content in bundle.items():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes(content)
    except FileExistsError:
        raise UsageError(f"{to} exists and is left as it is; name another place with --to") from None
    except OSError as error:
        raise UsageError(f"{to} cannot be written ({error.strerror}); name another place with --to") from error


def _zipped(bundle: Files) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in sorted(bundle.items()):
            # No time of writing: the same problem makes the same bytes.
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            zipped.writestr(entry, content)
    return archive.getvalue()


def _spec(problem: Problem, *, private: bool) -> Spec:
    spec = problem.spec
    cases = [case for case in spec.cases if case.visible]
    if private:
        cases = _with_tolerances(problem, cases)
    nothing = {"hidden": 0.0, **({"fuzzed": 0.0} if private else {})}
    return spec.model_copy(
        update={"bundle": "student", "cases": tuple(cases), "points": spec.points.model_copy(update=nothing)}
    )


def _with_tolerances(problem: Problem, pinned: list[PinnedCase]) -> list[PinnedCase]:
    """The cases with what their oracle would say: outputs to nine digits, and how far each element may be off."""
    with Oracle(problem) as oracle:
        drafts = [Draft(case.name, "examples", "", pinned_inputs(problem, case)) for case in pinned]
        finished = finish(problem, oracle, drafts)
    return [
        case.model_copy(
            update={
                "outputs": {key: _each(value, _short) for key, value in known.expected.items()},
                "within": {key: _each(_wide(known, key), _rounded_up) for key in known.expected},
            }
        )
        for case, known in zip(pinned, finished, strict=True)
    ]


def _each(value: NDArray[Any], spell: Callable[[float], float]) -> Any:
    return np.vectorize(spell, otypes=[float])(value).tolist() if value.dtype.kind == "f" else value.tolist()


def _short(value: float) -> float:
    return float(f"{value:.9g}")


def _wide(case: Case, key: str) -> NDArray[np.float64]:
    """The tolerance, and a unit of the ninth digit; nothing for what is exact."""
    expected = case.expected[key]
    return case.tolerance[key] + 1e-9 * np.abs(expected) if expected.dtype.kind == "f" else case.tolerance[key]


def _rounded_up(value: float) -> float:
    text = f"{value:.2e}"
    return float(text) if float(text) >= value else float(f"{value * 1.01:.2e}")
