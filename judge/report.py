"""`judge report`: results that are there, in another format."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from judge import store as stores
from judge.errors import JudgeError, UsageError
from judge.reports import gradescope
from judge.reports.files import files
from judge.reports.formats import FORMATS, Results, documents


def rewrite(folder: Path) -> None:
    """Write every report of `judge grade` again, from the results in `folder`."""
    found = _results(folder, None)
    store = stores.Store(folder)
    for name, content in files(found.content, found.records, when=found.when):
        # The results stay as they are: their time is the time of grading.
        if name != "results.json":
            store.write(folder / name, content)


def convert(
    folder: Path, name: str, *, to: Path | None, student: str | None, metadata: Path | None, echo: Callable[[str], None]
) -> bool:
    """Write the results in `folder` as the format `name`; False where there were none and the document says so.

    Args:
        to: a file, or a folder that is there, for a file each; None is `echo`.
        metadata: Gradescope's file about the submission, with the scores before.

    Raises:
        UsageError: nothing to write, several documents for one place, or a place that cannot be written.
    """
    form, previous = FORMATS[name], _previous(metadata)
    try:
        found = _results(folder, previous)
    except JudgeError as error:
        if form.unavailable is None:
            raise
        _write(f"results{form.suffix}", form.unavailable(str(error), previous), to, echo)
        return False
    try:
        made = list(documents(name, found, student))
    except JudgeError:
        raise
    except Exception as error:
        # A bug of ours, or results that something else wrote: the course system must not read it as no points.
        if form.unavailable is None:
            raise
        why = f"the report cannot be made ({type(error).__name__}: {error}); please report it"
        _write(f"results{form.suffix}", form.unavailable(why, previous), to, echo)
        return False
    if len(made) != 1 and not (to is not None and to.is_dir()):
        raise UsageError(
            f"{name} is a file a student, and there are {len(made)}; name one with --student, or a folder with --to"
        )
    for file, text in made:
        _write(file, text, to, echo)
    return True


def _results(folder: Path, previous: float | None) -> Results:
    content, records = stores.read_results(folder)
    graded = datetime.fromtimestamp((folder / "results.json").stat().st_mtime, UTC)
    return Results(content, records, graded, previous)


def _previous(metadata: Path | None) -> float | None:
    """The best score before. A file that cannot be read tells of none: it must not cost the student their result."""
    if metadata is None:
        return None
    try:
        content = json.loads(metadata.read_bytes())
    except (OSError, ValueError):
        return None
    return gradescope.best_before(content) if isinstance(content, dict) else None


def _write(file: str, text: str, to: Path | None, echo: Callable[[str], None]) -> None:
    if to is None:
        echo(text)
        return
    place = to / file if to.is_dir() else to
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise UsageError(f"{place} cannot be written ({error.strerror}); name another with --to") from error
