"""The page: templates that escape everything, one style sheet and one script inside it, and nothing fetched.

Every expression of a template passes `redact.plain` first and the escaping after it; only what `plots` draws, which is
made of numbers and escaped text, goes in as it is. The content policy of the page allows this one script by its digest.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from judge.model.record import Record
from judge.reports.html import overview, sections
from judge.reports.redact import UNCONFINED, plain

TEMPLATES = Path(__file__).parent / "templates"


def render(content: Mapping[str, Any], records: Sequence[Record]) -> str:
    """The report for graders: it names hidden cases.

    Args:
        content: that of `results.json`; only its environment is read.
        records: what was graded.
    """
    ordered = sorted(records, key=lambda one: (one.student, one.problem))
    shown = sections.make(ordered)
    script = _text("sort.js")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            overview=overview.make(shown),
            sections=shown,
            unconfined=UNCONFINED,
            environment=_environment_rows(content.get("environment", {})),
            style=Markup(_text("style.css")),  # noqa: S704  our own file
            script=Markup(script),  # noqa: S704  our own file
            script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _harmless(value: Any) -> Any:
    if isinstance(value, Markup | int | float) or value is None:
        return "" if value is None else value
    return plain(str(value), lines=True)


def _environment_rows(environment: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the results were made with, as (name, value)."""
    rows = [("judge", str(environment.get("judge", "unknown")))]
    rows += [(str(name), str(version)) for name, version in environment.get("versions", {}).items()]
    if "devices" in environment:
        rows.append(("devices", str(environment["devices"])))
    for layer in environment.get("layers", ()):
        rows.append((f"confined by {layer['name']}", "on" if layer["on"] else f"off: {layer['detail']}"))
    if environment.get("unsafe") and not environment.get("safe"):
        rows.append(("sandbox", "off: submissions were run with --unsafe, and nothing confined them"))
    return rows
