"""A complete small problem on 2 devices, written into a folder: it loads, and grading a submission takes about a second."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SLUG = "row-means"

PROBLEM = """\
title: Scaled means of rows
summary: Split a batch by rows over 2 devices and average it.
devices: 2

dims:
  N: {min: 2, multiple_of: 2}
  D: {}

inputs:
  x: {dtype: float32, shape: [N, D], doc: the batch}
  scale: {type: float, doc: what everything is multiplied by}

outputs:
  mean: {dtype: [float32], shape: [D], placement: replicated}
  rows: {dtype: [float32], shape: [N], placement: {split: 0}}

structure:
  split: {inputs: [x], by: manual}
  reduce: {inputs: [x], outputs: [mean]}

limits: {call_s: 2, first_call_s: 4}

cases:
  - name: by-hand
    visible: true
    inputs: {x: [[1, 2], [3, 4], [5, 6], [7, 12]], scale: 0.5}
    outputs: {mean: [2, 3], rows: [1.5, 3.5, 5.5, 9.5]}
    explanation: The means of the columns are 4 and 6.
  - name: one-column
    visible: true
    inputs: {x: [[1], [4]], scale: 2.0}
    outputs: {mean: [5], rows: [2, 8]}
  - name: zero-scale
    category: a scale of zero
    inputs: {x: [[1, 2], [3, 4], [5, 6], [7, 12]], scale: 0.0}
    outputs: {mean: [0, 0], rows: [0, 0, 0, 0]}
  - name: negative
    category: a negative scale
    inputs: {x: [[1, 2, 3], [3, 4, 8]], scale: -1.0}
    outputs: {mean: [-2, -3, -5.5], rows: [-6, -15]}

fuzz:
  cases: 24
  shapes:
    - {dims: {N: 4, D: 2}, values: {scale: [0.5, 3.0]}}
    - {dims: {N: 6, D: 3}, values: {scale: [0.25]}}
  strata:
    unit:
      doc: numbers of everyday size
      ranges: {x: {min: -2, max: 2}}
    offset:
      doc: numbers near 1000
      ranges: {x: {min: -2, max: 2, offset: 1000}}

relations:
  - {name: every_shard_matters, inputs: [x]}
"""

ORACLE = '''\
"""Scaled means of the columns and scaled sums of the rows, in float64."""

import numpy as np


def solve(x, scale):
    x = np.asarray(x, dtype=np.float64)
    return {"mean": scale * x.mean(axis=0), "rows": scale * x.sum(axis=1)}
'''

MISTAKES = '''\
"""Wrong answers with their hints."""

import numpy as np
from oracle import solve


def summed(x, scale):
    """Your mean is a sum over the rows; divide it by N."""
    return {**solve(x, scale), "mean": len(x) * solve(x, scale)["mean"]}


def first_device(x, scale):
    """Your mean is that of the first device's rows; reduce over both devices."""
    return {**solve(x, scale), "mean": solve(x[: len(x) // 2], scale)["mean"]}


def unscaled(x, scale):
    """You forgot to multiply by `scale`."""
    return solve(x, 1.0)
'''

STATEMENT = """\
# Scaled means of rows

Return `mean`, $s \\\\frac1N \\\\sum_n x_n$, replicated on both devices, and `rows`, the scaled sums of the rows, split.

{{ examples }}
"""

STARTER = '''\
"""Scaled means of rows. Fill in `solve`."""


def solve(x, scale):
    raise NotImplementedError
'''

#: The shard of a right solution is `BODY`; the others differ from it in one thing.
_SOLUTION = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))


def solve(x, scale):
    n = x.shape[0]

    def body(x):
        BODY

    f = jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=(MEAN, P("i")), check_vma=CHECK)
    mean, rows = jax.jit(f)(x)
    return {"mean": mean, "rows": rows}
"""


def solution(body: str, *, mean: str = "P()", check: bool = True) -> str:
    """Source of a submission whose shards do `return {body}`."""
    return _SOLUTION.replace("BODY", f"return {body}").replace("MEAN", mean).replace("CHECK", str(check))


ROWS = "scale * x.sum(axis=1)"
RIGHT = solution(f'scale * lax.pmean(x.mean(axis=0), "i"), {ROWS}')
SUMMED = solution(f'scale * lax.psum(x.sum(axis=0), "i"), {ROWS}')
LOCAL = solution(f"scale * x.mean(axis=0), {ROWS}", check=False)
GATHERED = solution(f'scale * lax.all_gather(x, "i", tiled=True).mean(axis=0), {ROWS}', check=False)
RAISES = "def solve(x, scale):\n    return {'mean': x / None}\n"
BROKEN = "def solve(x, scale:\n"
EXITS = "import os\n\n\ndef solve(x, scale):\n    os._exit(0)\n"
ENDLESS = "def solve(x, scale):\n    while True:\n        pass\n"
NONE = "def solve(x, scale):\n    return None\n"
PRINTS = f"print('hello from the student')\n{RIGHT}"
ZEROS = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))


def solve(x, scale):
    mean = jax.device_put(jnp.zeros(x.shape[1]), NamedSharding(mesh, P()))
    return {"mean": mean, "rows": jax.device_put(jnp.zeros(x.shape[0]), NamedSharding(mesh, P("i")))}
"""
#: Keeps the first answer of each shape.
REMEMBERS = RIGHT.replace("def solve(", "kept = {}\n\n\ndef solve(x, scale):\n    if x.shape not in kept:\n"
    "        kept[x.shape] = fresh(x, scale)\n    return kept[x.shape]\n\n\ndef fresh(")  # fmt: skip

#: Verdict of each submission above.
VERDICTS: Mapping[str, tuple[str, str]] = {
    "right": (RIGHT, "accepted"),
    "prints": (PRINTS, "accepted"),
    "summed": (SUMMED, "wrong_answer"),
    "zeros": (ZEROS, "wrong_answer"),
    "local": (LOCAL, "replicas_differ"),
    "gathered": (GATHERED, "wrong_structure"),
    "raises": (RAISES, "runtime_error"),
    "broken": (BROKEN, "load_error"),
    "exits": (EXITS, "exited"),
    "endless": (ENDLESS, "time_limit"),
    "none": (NONE, "wrong_type"),
    "remembers": (REMEMBERS, "not_reproducible"),
}


def write_problem(root: Path, slug: str = SLUG) -> Path:
    """The folder of the problem, made below `root`."""
    folder = root / slug
    files = {
        "problem.yaml": PROBLEM,
        "oracle.py": ORACLE,
        "mistakes.py": MISTAKES,
        "statement.md": STATEMENT,
        "starter.py": STARTER,
        "solutions/accepted/right.py": RIGHT,
        "solutions/wrong_answer/summed.py": SUMMED,
        "solutions/wrong_structure/gathered.py": GATHERED,
    }
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return folder


def write_submissions(root: Path, sources: Mapping[str, str], slug: str = SLUG) -> Path:
    """`root/<student>/<slug>.py` for each source."""
    for student, source in sources.items():
        place = root / student / f"{slug}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(source, encoding="utf-8")
    return root
