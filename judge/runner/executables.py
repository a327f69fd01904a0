"""Executables that were compiled before this process began, by what they were compiled from.

The launcher takes them in before it forks, from a descriptor that the judge hands it; its children look them up. A key leaves
out where in a file a module was written down, so that two submissions that do the same step compile it alike.
"""

from __future__ import annotations

import hashlib
import io
import os
from typing import Any

from judge.runner.private import strip_locations
from judge.runner.wire import Caps, read_frame

#: What the judge hands over is trusted, and bounded by the judge.
CAPS = Caps(1 << 26, 1 << 30, 1 << 20)

known: dict[bytes, bytes] = {}


def take(descriptor: int) -> None:
    """Read frames of `keys` and as many buffers into `known`, up to the end; closes the descriptor."""
    with os.fdopen(descriptor, "rb") as file:
        while (frame := read_frame(file.read, CAPS)) is not None:
            known.update(zip(map(bytes.fromhex, frame.header["keys"]), frame.buffers, strict=True))  # type: ignore[arg-type]


def key(module: Any, devices: Any, options: Any) -> bytes:
    """What an executable depends on, the same in every process: the module without its locations, devices, options."""
    with module.context:
        plain = module.operation.clone()
        strip_locations(plain)
        content = io.BytesIO()
        plain.write_bytecode(file=content)
    digest = hashlib.sha256(content.getvalue())
    digest.update(repr([device.id for device in devices.flat]).encode())
    digest.update(options.SerializeAsString())
    return digest.digest()
