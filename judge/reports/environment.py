"""Where a class was graded, as plain values for `results.json` and the reports made from it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.sandbox.layers import Layers

NOT_TRIED = "not tried: nothing had to be run"


def describe(layers: Layers | None, versions: Mapping[str, str], *, unsafe: bool) -> dict[str, Any]:
    """Versions, and each layer of the sandbox as it was found on or off; `unsafe` is what the grader said.

    `layers` is None where nothing had to be run, and so nothing was tried.
    """
    if layers is None:
        return {"python": platform.python_version(), "versions": dict(versions), "unsafe": unsafe, "sandbox": NOT_TRIED}
    return {
        "python": platform.python_version(),
        "versions": dict(versions),
        "safe": layers.safe,
        "unsafe": unsafe,
        "sandbox": layers.summary(),
        "layers": [{"name": one.name, "on": one.on, "detail": one.detail} for one in layers.layers],
    }
