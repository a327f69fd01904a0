"""Coverage-guided fuzzing of the readers of answers, bounded by a number of inputs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from judge.runner.wire import encode
from tests.sandbox.test_replies import FACTS, SPLIT, parts
from tests.support import ROOT

RUNS = 300_000
#: The peak that libFuzzer limits begins with that of whoever started it, and this process may have held gigabytes before.
SMALL_PARENT = ("sh", "-c", '"$@"; exit $?', "sh")
#: One right frame of each kind: what is found from here is near to what is believed.
CORPUS = {
    "answer": encode({"id": 1, "answer": SPLIT}, parts()),
    "layout": encode({"id": 1, "layout": SPLIT}, parts(3)),
    "facts": encode({"id": 1, "facts": FACTS}),
    "error": encode({"id": 1, "error": {"type": "E", "message": "m", "line": 3, "text": "t"}}),
    "program": encode({"id": 1, "scalars": {"lr": 0.5}}, [b"program"]),
    "modules": encode({"id": 1, "modules": 2}, [b"one", b"two"]),
    "no values": encode({"id": 1}, [np.array([np.nan, np.inf]), np.zeros((0, 1 << 30), np.int8)]),
}


@pytest.mark.long("fuzzes the readers of answers, guided by coverage")
def test_no_bytes_of_a_child_do_more_than_be_refused(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris has wheels for Linux on x86-64 alone")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, frame in CORPUS.items():
        (corpus / name).write_bytes(frame)
    options = [f"-runs={RUNS}", "-seed=1", "-max_len=6000", "-rss_limit_mb=1024", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run(
        [*SMALL_PARENT, sys.executable, "-m", "tests.sandbox.fuzz_answers", *options, str(corpus)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    coverage = [int(found) for found in re.findall(r"cov: (\d+)", done.stderr)]
    # Else it would be guided by nothing.
    assert coverage[-1] > coverage[0] > 0
