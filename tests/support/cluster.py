"""A scheduler and workers of Dask, each a process of its own, as an administrator starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from tests.support.command import WHERE

START_S = 60.0


class Grid:
    """Processes that find each other by a file in `folder`."""

    def __init__(self, folder: Path, *, options: Sequence[str] = (), env: Mapping[str, str] | None = None) -> None:
        self._folder, self._options = folder, options
        self._file = folder / "scheduler.json"
        self._log = (folder / "log").open("ab")
        self._workers: list[subprocess.Popen[bytes]] = []
        line = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self.scheduler = self._start([*line, "--scheduler-file", str(self._file), *options], env or {})
        self.address = self._address()

    def worker(self, *options: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """A worker without a nanny: who kills it has killed it."""
        line = ["distributed.cli.dask_worker", self.address, "--no-nanny", "--no-dashboard", "--nthreads", "1"]
        line += ["--local-directory", str(self._folder), *self._options, *options]
        process = self._start(line, env or {})
        self._workers.append(process)
        return process

    def kill_workers(self) -> None:
        for worker in self._workers:
            worker.kill()
            worker.wait()
        self._workers.clear()

    def close(self) -> None:
        self.kill_workers()
        self.scheduler.kill()
        self.scheduler.wait()
        self._log.close()

    def _start(self, line: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", *line],
            cwd=self._folder,
            env={**os.environ, **WHERE, **env},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def _address(self) -> str:
        # The file is there when the scheduler listens; nothing tells the moment.
        pause = Event()
        for _ in range(int(START_S / 0.05)):
            try:
                return str(json.loads(self._file.read_bytes())["address"])
            except (OSError, ValueError):
                assert self.scheduler.poll() is None, (self._folder / "log").read_text()
                pause.wait(0.05)
        raise AssertionError("the scheduler did not start")


@contextmanager
def grid(folder: Path, *, options: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Iterator[Grid]:
    folder.mkdir(exist_ok=True)
    made = Grid(folder, options=options, env=env)
    try:
        yield made
    finally:
        made.close()


def freeze(process: subprocess.Popen[bytes]) -> None:
    """It neither answers nor ends, like a machine that hangs."""
    process.send_signal(signal.SIGSTOP)
