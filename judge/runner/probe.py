"""A child that tries what is forbidden, and says what came of it. Code of the judge's own; it reports, it does no harm."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Mapping
from typing import Any

from judge.runner.attempts import attempts, tried
from judge.runner.wire import Buffer


class Probe:
    """Requests: `attempt`, see `judge.runner.attempts`; `spin`, `hoard` and `flood` run against the limits of the trusted side;
    `facts` tells who and where this is."""

    def handle(self, header: Mapping[str, Any], buffers: tuple[Buffer, ...]) -> tuple[dict[str, Any], list[Buffer]]:
        request = header["request"]
        if request == "attempt":
            return {"results": {name: tried(attempt) for name, attempt in attempts(header).items()}}, []
        if request == "facts":
            return {"facts": _facts()}, []
        if request == "spin":
            while True:
                pass
        if request == "sleep":
            time.sleep(3600)
        if request == "flood":
            while True:
                os.write(1, b"x" * 4096)
        if request == "hoard":
            hoard = []
            while True:
                hoard.append(b"x" * (1 << 20))
        return {"echo": header.get("echo")}, list(buffers)


def _facts() -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "uid": os.getuid(),
        "groups": os.getgroups() if sys.platform != "linux" else [],
        "environment": sorted(os.environ),
        "descriptors": [number for number in range(3, 256) if tried(lambda n=number: os.fstat(n)) == "done"],  # type: ignore[misc]
        "file_bytes": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
        "core_bytes": resource.getrlimit(resource.RLIMIT_CORE)[0],
        "data_bytes": resource.getrlimit(resource.RLIMIT_DATA)[0],
    }
