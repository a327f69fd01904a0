"""Makes a Dask worker fail over the submissions that say so, as no submission in its sandbox could make it."""

from __future__ import annotations

import functools
import os
import threading

from judge.executors import remote

# Dask runs this file twice.
grade = getattr(remote.grade, "__wrapped__", remote.grade)


@functools.wraps(grade)
def failing(submission: bytes) -> object:
    if b"# the worker dies" in submission:
        os._exit(1)
    if b"# the worker hangs" in submission:
        threading.Event().wait()
    if b"# the worker answers with an object" in submission:
        return threading.Thread
    if b"# the worker answers for another" in submission:
        return grade(submission.replace(b"# the worker", b"# The worker"))
    return grade(submission)


remote.grade = failing  # type: ignore[assignment]  # what Dask finds by name from now on
