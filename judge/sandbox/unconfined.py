"""What is said where nothing confines a program: to whoever runs a file of their own there."""

from __future__ import annotations

import os
import sys

from judge.errors import UsageError
from judge.sandbox.launch import Confinement

CONTAINER = (
    'docker run --rm --network none --read-only --tmpfs /tmp --user "$(id -u):$(id -g)" -v "$PWD:/work" jax-judge'
)


def require_fork() -> None:
    """Refuse a system on which the judge can run nothing.

    Raises:
        UsageError: it cannot fork, as Windows cannot.
    """
    if not hasattr(os, "fork"):
        raise UsageError(
            f"{sys.platform} cannot fork, and the judge needs that to run a submission; use it inside WSL 2 (wsl --install), "
            f"or in a container: {CONTAINER}"
        )


def notice(confinement: Confinement, command: str) -> str:
    """What a student reads before their file runs unconfined; `command` is what to type after the container's name."""
    if sys.platform == "linux":
        why, cure = (
            "not all layers of the sandbox are on",
            "`judge doctor` says how to turn them on, or use a container",
        )
        if confinement.no_seccomp:
            why = f"no seccomp ({confinement.no_seccomp})"
        elif not confinement.landlock_abi and not confinement.bubblewrap:
            why = f"no Landlock, and no bubblewrap ({confinement.no_bubblewrap})"
    else:
        why, cure = f"{sys.platform} has none of the layers of the sandbox", "use a container"
    return (
        f"your file runs with your own rights, for nothing confines it here: {why}. That is fine for what you wrote yourself; "
        f"for the files of others {cure}: {CONTAINER} {command}"
    )
