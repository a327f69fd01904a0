"""Values of a document -> a model, or every fault with its line and a remedy."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from judge.errors import Fault
from judge.load.document import Document, KeyPath, spell
from judge.load.schema import keys_at

M = TypeVar("M", bound=BaseModel)
Schema = Callable[[], dict[str, Any]]


def validated(document: Document, data: Any, model: type[M], schema: Schema) -> tuple[M | None, list[Fault]]:
    """The model made from `data`, which are the values of `document`; `schema` has the keys to suggest for unknown ones."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, _merged([_translated(document, one, schema) for one in error.errors(include_url=False)])


def _merged(found: list[tuple[KeyPath, Fault]]) -> list[Fault]:
    """One fault a value: a union is tried member by member, and each of them complains."""
    merged: dict[KeyPath, Fault] = {}
    for path, fault in found:
        if any(other[: len(path)] == path for other, _ in found if len(other) > len(path)):
            # The member that came furthest says it better.
            continue
        first = merged.setdefault(path, fault)
        if fault.remedy not in first.remedy:
            merged[path] = replace(first, remedy=f"{first.remedy}; or {fault.remedy}")
    return list(merged.values())


def _translated(document: Document, error: Mapping[str, Any], schema: Schema) -> tuple[KeyPath, Fault]:
    kind = error["type"]
    path = _in_file(document, error["loc"], missing=kind == "missing")
    where = spell(path)
    if kind == "extra_forbidden":
        known = keys_at(error["loc"][:-1], schema())
        near = difflib.get_close_matches(str(path[-1]), known, n=1)
        remedy = f"did you mean `{near[0]}`?" if near else f"remove it; known here: {', '.join(known) or 'nothing'}"
        if path[-1] in known:
            remedy = "it does not go with the other keys here; remove it, or them"
        return path, document.fault(path, f"`{where}` is not a known key", remedy)
    if kind == "missing":
        return path, document.fault(path, f"`{where}` is missing", "add it")
    message = error["msg"][:1].lower() + error["msg"][1:]
    return path, document.fault(path, f"`{where}` is {str(error['input'])[:60]!r}", message)


def _in_file(document: Document, location: Iterable[str | int], *, missing: bool) -> KeyPath:
    """A location of pydantic without the names of union members that it puts between keys."""
    path: KeyPath = ()
    parts = list(location)
    for place, part in enumerate(parts):
        if (*path, part) in document.lines or (missing and place == len(parts) - 1):
            path = (*path, part)
    return path
