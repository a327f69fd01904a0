"""Profile and trace hooks that a submission leaves behind."""

from __future__ import annotations

import sys
import threading

_setters = (sys.setprofile, sys.settrace, threading.setprofile, threading.settrace)


def unhook() -> None:
    """Take them off, as soon as `solve` has returned: they would see every frame that is entered from then on."""
    for take_off in _setters:
        take_off(None)
