"""Which cluster: what `--cluster` and its `--tls` options say, as a value. Loads nothing of Dask."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from judge.errors import UsageError

ADDRESS = re.compile(r"(?P<scheme>tcp|tls)://(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>\d{1,5})")
LOCAL = re.compile(r"local:(?P<workers>[1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files: the authority that both ends trust, this judge's certificate, and its key."""

    authority: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Target:
    """A scheduler's address, or a number of workers to start here. `tls` is None where Dask's own settings say it."""

    address: str = ""
    workers: int = 0
    tls: Tls | None = None

    def __str__(self) -> str:
        return self.address or f"local:{self.workers}"


def read_target(text: str, authority: Path | None, certificate: Path | None, key: Path | None) -> Target:
    """The cluster that was asked for.

    Raises:
        UsageError: it is spelled otherwise, or the files do not go together.
    """
    local, remote = LOCAL.fullmatch(text), ADDRESS.fullmatch(text)
    files = {"--tls-ca": authority, "--tls-cert": certificate, "--tls-key": key}
    given = [name for name, file in files.items() if file is not None]
    if local is None and remote is None:
        raise UsageError(f"--cluster {text}: say tcp://HOST:PORT, tls://HOST:PORT, or local:N for N workers here")
    if given and (remote is None or remote["scheme"] != "tls"):
        raise UsageError(f"{given[0]} is for a cluster at tls://HOST:PORT, and this one is {text}")
    for name, file in files.items():
        if given and file is None:
            raise UsageError(
                f"{given[0]} needs {name}, too; or leave them out and let Dask's own settings name the files"
            )
        if file is not None and not file.is_file():
            raise UsageError(f"{name} {file}: there is no such file")
    if authority is None or certificate is None or key is None:
        return Target(workers=int(local["workers"])) if local is not None else Target(address=text)
    return Target(address=text, tls=Tls(authority, certificate, key))
