"""Everything that is made of a record, in every format."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from rich.console import Console

from judge import store
from judge.model.problem import Spec
from judge.model.record import Record
from judge.reports import own, terminal
from judge.reports.files import files
from judge.reports.formats import FORMATS, Results
from tests.support.authored import STEP_SPEC

WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def reports(record: Record) -> dict[str, str]:
    """Every file of a run by its path, every format of `judge report` by its name with its suffix, and both views of the
    terminal as `one.txt` and `class.txt`."""
    content = store.results(1, {}, [record])
    found = {name: data.decode() for name, data in files(content, [record], when=WHEN)}
    found |= {f"{name}{form.suffix}": form.render(Results(content, [record], WHEN)) for name, form in FORMATS.items()}
    views: dict[str, Callable[[Console], None]] = {
        "one": lambda to: own.show(to, record, Spec.model_validate(STEP_SPEC)),
        "class": lambda to: terminal.show_class(to, [record]),
    }
    for name, view in views.items():
        file = io.StringIO()
        view(Console(file=file, width=200))
        found[f"{name}.txt"] = file.getvalue()
    return found


def unfenced(page: str) -> Iterator[str]:
    """The lines of a Markdown page that stand in no code block."""
    fence = ""
    for line in page.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line.strip() == ticks and len(ticks) >= len(fence) else fence
        elif len(ticks) >= 3:
            fence = ticks
        else:
            yield line
