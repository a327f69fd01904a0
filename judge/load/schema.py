"""The JSON schema of `problem.yaml`, for editors, and the keys that each place of it knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judge.model.problem import Spec


def problem_schema() -> dict[str, Any]:
    """The schema, made from the models; `type` of an array input may be left out."""
    schema = Spec.model_json_schema()
    inputs = schema["properties"]["inputs"]["additionalProperties"]
    inputs.pop("discriminator", None)
    inputs["anyOf"] = inputs.pop("oneOf")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "problem.yaml"
    return schema


def keys_at(location: tuple[str | int, ...], schema: Mapping[str, Any] | None = None) -> list[str]:
    """Names of the keys known at a location, which may go through lists, mappings and members of unions.

    `schema` is that of `problem.yaml` unless another one is given.
    """
    schema = problem_schema() if schema is None else schema
    places = [dict(schema)]
    for part in location:
        places = [inner for place in places for inner in _inside(schema, place, part)]
    return sorted({name for place in places for one in _members(schema, place) for name in one.get("properties", {})})


def _inside(schema: Mapping[str, Any], place: Mapping[str, Any], part: str | int) -> list[dict[str, Any]]:
    found = []
    for one in _members(schema, place):
        if part in one.get("properties", {}):
            found.append(one["properties"][part])
        elif isinstance(part, int) and "items" in one:
            found.append(one["items"])
        elif isinstance(one.get("additionalProperties"), dict):
            found.append(one["additionalProperties"])
    # A member's own name between two keys stays at the same place.
    return found or [dict(place)]


def _members(schema: Mapping[str, Any], place: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "$ref" in place:
        return _members(schema, schema["$defs"][place["$ref"].rsplit("/", 1)[1]])
    several = place.get("anyOf") or place.get("oneOf")
    return [inner for one in several for inner in _members(schema, one)] if several else [dict(place)]
