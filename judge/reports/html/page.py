"""The page: templates that escape everything, one style sheet and one script inside it, and nothing fetched.

Every expression of a template passes `redact.plain` first and the escaping after it; only what `plots` draws, which is
made of numbers and escaped text, goes in as it is. The content policy of the page allows this one script by its digest.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from judge.model.record import Record
from judge.reports.html import overview, sections
from judge.reports.redact import plain

TEMPLATES = Path(__file__).parent / "templates"
#: A message may quote with one backtick alone: what begins or ends with a blank stands between two quotations.
CODE = re.compile(r"`(?! )([^`\n]+)(?<! )`")
CODED = Markup("<code>{}</code>")


def render(content: Mapping[str, Any], records: Sequence[Record]) -> str:
    """The report for graders: it names hidden cases.

    Args:
        content: that of `results.json`, for its environment, its course and its notes.
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
            missing=_missing(content.get("course", {})),
            notes=content.get("notes", ()),
            environment=_environment_rows(content.get("environment", {})),
            style=Markup(_text("style.css")),  # noqa: S704  our own file
            script=Markup(script),  # noqa: S704  our own file
            script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def _missing(course: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(student, full name, problems) of everybody who has handed in nothing for some."""
    names = course.get("students", {})
    return [(one, names.get(one, ""), ", ".join(slugs)) for one, slugs in sorted(course.get("missing", {}).items())]


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["code"] = _code
    return made


def _code(text: str) -> Markup:
    """What stands between two backticks of a line as code; every piece is escaped by itself."""
    pieces = CODE.split(plain(text, lines=True))
    return Markup().join(CODED.format(one) if place % 2 else escape(one) for place, one in enumerate(pieces))


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
    if environment.get("unsafe"):
        rows.append(("unsafe", "submissions were run although nothing confined them"))
    return rows
