"""The plain harness that a course would write, to compare with: call `solve`, case by case, and look at what it returns.

    python harness.py SUBMISSION CASES.npz

One fresh interpreter a submission; `JAX_NUM_CPU_DEVICES` says how many devices it has. It knows nothing of placement, structure
or hostile code. Prints one JSON object: `passed` of `total`, `first_s` for each call that met its shape first and `again_s`
for each of the others, both in seconds of CPU.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

RTOL = ATOL = 1e-4


def load(path: Path) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location("submission", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.solve  # type: ignore[no-any-return]  # whatever the student called so


def passes(got: Any, expected: dict[str, np.ndarray[Any, Any]]) -> bool:
    try:
        for key, value in expected.items():
            np.testing.assert_allclose(np.asarray(got[key]), value, rtol=RTOL, atol=ATOL)
    except AssertionError:
        return False
    return True


def main(submission: Path, cases: Path) -> None:
    solve = load(submission)
    stored = np.load(cases, allow_pickle=False)
    met: set[tuple[Any, ...]] = set()
    result: dict[str, Any] = {"passed": 0, "total": 0, "first_s": [], "again_s": []}
    for case in json.loads(str(stored["manifest"])):
        inputs = [stored[entry["array"]] if "array" in entry else entry["value"] for entry in case["inputs"]]
        shape = tuple(value.shape for value in inputs if isinstance(value, np.ndarray))
        started = time.process_time()
        got = solve(*[jnp.array(value) if isinstance(value, np.ndarray) else value for value in inputs])
        jax.block_until_ready(got)
        result["total"] += 1
        result["passed"] += passes(got, {key: stored[name] for key, name in case["expected"].items()})
        result["again_s" if shape in met else "first_s"].append(time.process_time() - started)
        met.add(shape)
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
