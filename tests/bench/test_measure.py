"""The instrument of the benchmark."""

from __future__ import annotations

import sys

from tests.bench.measure import measure

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


def test_the_cpu_time_of_a_process_and_its_child_is_counted() -> None:
    program = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN.format(seconds=0.3)!r}])\n"
    cost = measure([sys.executable, "-c", program + BURN.format(seconds=0.3)])
    assert cost.status == 0
    assert 0.6 <= cost.cpu_s < 1.5


def test_the_cpu_time_of_an_orphan_is_counted_to_its_end() -> None:
    # Its pipe keeps the measured command's output open: the measurement ends when the orphan does.
    program = f"import os\nif os.fork() == 0:\n    os.setsid()\n    exec({BURN.format(seconds=0.4)!r})\nos._exit(0)\n"
    assert measure([sys.executable, "-c", program]).cpu_s >= 0.4


def test_what_a_command_prints_and_its_exit_status_come_back() -> None:
    cost = measure([sys.executable, "-c", "print('told'); raise SystemExit(3)"])
    assert (cost.stdout, cost.status) == ("told\n", 3)


def test_the_peak_is_that_of_the_first_process_alone() -> None:
    child = "b = bytearray(200 << 20); import time\nwhile time.process_time() < 0.3: pass"
    program = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])\n"
    assert 0 < measure([sys.executable, "-c", program]).peak_mb < 100
