"""Keeps the StableHLO of every module that this process compiles, where JAX lets it be seen, and compiles none twice.

Eager code compiles the same 50 small modules at every call, because each call makes its functions anew. A child keeps what
it compiled for as long as it lives, which is one submission.
"""

from __future__ import annotations

import contextlib
import hashlib
from typing import Any

from judge.runner.stablehlo import device_count

MODULES = 64
BYTES = 4 << 20


def _key(
    content: bytes, devices: Any, options: Any, callbacks: Any, *rest: Any, **named: Any
) -> tuple[object, ...] | None:
    """What an executable depends on; None where it holds callbacks, which are of one function object."""
    if len(callbacks):
        return None
    ids = tuple(device.id for device in devices.flat)
    return (hashlib.sha256(content).digest(), ids, options.SerializeAsString(), repr(rest), repr(sorted(named.items())))


class CompiledModules:
    """Modules compiled since `install`, each once, those for several devices first.

    JAX has no public hook for this. Where the private one is missing, nothing is kept, and whoever looks for structure in
    a live run finds none.
    """

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._many: list[bytes] = []
        self._single: list[bytes] = []
        self._compiled: dict[tuple[object, ...], Any] = {}

    def install(self) -> None:
        """Start to keep modules. Call before the submission is loaded."""
        try:
            from jax._src import compiler
            from jax._src.interpreters.mlir import module_to_bytecode

            original: Any = compiler.compile_or_get_cached
        except (ImportError, AttributeError):
            return

        def keep_and_compile(backend: Any, computation: Any, *args: Any, **keywords: Any) -> Any:
            key = None
            # A module that cannot be kept must not stop the student's program.
            with contextlib.suppress(Exception):
                content = module_to_bytecode(computation)
                self._keep(computation, content)
                key = _key(content, *args, **keywords)
            if key is None:
                return original(backend, computation, *args, **keywords)
            if key not in self._compiled:
                self._compiled[key] = original(backend, computation, *args, **keywords)
            return self._compiled[key]

        compiler.compile_or_get_cached = keep_and_compile

    def _keep(self, module: Any, content: bytes) -> None:
        digest = hashlib.sha256(content).digest()
        kept = self._many if device_count(module) > 1 else self._single
        if digest in self._seen or len(kept) >= MODULES or len(content) > BYTES:
            return
        self._seen.add(digest)
        kept.append(content)

    def bounded(self) -> list[bytes]:
        """What was kept, at most `MODULES` of together `BYTES`."""
        chosen: list[bytes] = []
        left = BYTES
        for content in [*self._many, *self._single][:MODULES]:
            if len(content) <= left:
                chosen.append(content)
                left -= len(content)
        return chosen
