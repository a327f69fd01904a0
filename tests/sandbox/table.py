"""What came of every attempt in one session. A program, so that it can be started as another user:

python -m tests.sandbox.table '{"seccomp": false, "bubblewrap": false}'
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from judge.sandbox.layers import ROOMY
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings


def attempted(switches: Mapping[str, Any]) -> dict[str, Any]:
    """`results`, and the uid and layers that the session told."""
    with tempfile.TemporaryDirectory() as folder, Session(SandboxSettings(unsafe=True, **switches)) as session:
        # Open to everybody, so that only the sandbox can be what keeps it shut.
        Path(folder).chmod(0o755)
        secret = Path(folder) / "secret"
        secret.write_bytes(b"of the host")
        secret.chmod(0o644)
        memory = ctypes.create_string_buffer(b"judge's", 8)
        asked = {"request": "attempt", "secret": str(secret), "judge": os.getpid(), "address": ctypes.addressof(memory)}
        with _listeners(Path(folder) / "socket") as places, session.open("probe", devices=0, limits=ROOMY) as child:
            answer = child.request(asked | places, stage="probe", cpu_s=20.0)
        held = session.confinement()
        return {
            "results": answer.header["results"],
            "uid": held.uid,
            "bubblewrap": held.bubblewrap,
            "landlock": held.landlock_abi,
        }


@contextmanager
def _listeners(unix: Path) -> Iterator[dict[str, Any]]:
    """Sockets of the judge's that anybody may talk to, and what they are called."""
    abstract = f"judge-table-{os.getpid()}"
    with ExitStack() as stack:
        wanted: list[tuple[int, int, Any]] = [
            (socket.AF_UNIX, socket.SOCK_STREAM, str(unix)),
            (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}"),
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        ]
        made = [stack.enter_context(socket.socket(family, kind)) for family, kind, _ in wanted]
        for listener, (_, kind, address) in zip(made, wanted, strict=True):
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen()
        unix.chmod(0o777)
        tcp, udp = (listener.getsockname()[1] for listener in made[2:])
        yield {"unix": str(unix), "abstract": abstract, "tcp": tcp, "udp": udp}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(attempted(json.loads(sys.argv[1]))) + "\n")
