"""The mesh context of a submission: off while the judge builds arrays, then as the import left it."""

from __future__ import annotations

from typing import Any

import jax

_set_mesh = jax.set_mesh


class MeshContext:
    """What `jax.set_mesh` was when this object was made; the context is off from then on."""

    def __init__(self) -> None:
        # Entering remembers what was before, and leaving, which may be repeated, sets it again.
        self._before: Any = _set_mesh(None)

    @staticmethod
    def off() -> None:
        """No mesh: a leaked one would make arrays of eight devices out of plain inputs."""
        _set_mesh(None)

    def put_back(self) -> None:
        """The context that a submission set at import, and may rely on in every call."""
        self._before.__exit__(None, None, None)
