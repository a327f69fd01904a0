"""What course systems document of the files they read, as JSON schemas, field by field.

They are closed: a field that is not documented is refused, since its reader may refuse it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
POINTS = {"type": "number", "minimum": 0}
FREE = {"type": "object"}


def closed(properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}

#: Gradescope's autograder specification. `status` may be left out there; without it 0 of 0 points shows as passed.
GRADESCOPE = closed(
    {
        "score": POINTS,
        "execution_time": POINTS,
        "output": TEXT,
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": FREE,
        "tests": {
            "type": "array",
            "items": closed(
                {
                    "score": POINTS,
                    "max_score": POINTS,
                    "status": {"enum": ["passed", "failed"]},
                    "name": TEXT,
                    "name_format": FORMAT,
                    "number": {"type": "string", "pattern": r"^\d+(\.\d+)*$"},
                    "output": TEXT,
                    "output_format": FORMAT,
                    "tags": {"type": "array", "items": TEXT},
                    "visibility": VISIBILITY,
                    "extra_data": FREE,
                },
                "status",
            ),
        },
        "leaderboard": {
            "type": "array",
            "items": closed(
                {"name": TEXT, "value": {"type": ["number", "string"]}, "order": {"enum": ["asc", "desc"]}}
            ),
        },
    },
    # A score is needed only where a test has none; then the sum of the tests is not it.
    anyOf=[
        {"required": ["score"]},
        {"required": ["tests"], "properties": {"tests": {"minItems": 1, "items": {"required": ["score"]}}}},
    ],
)

IMAGES = {"type": "array", "items": {"anyOf": [TEXT, closed({"label": TEXT, "url": TEXT}, "url")]}}

#: PrairieLearn's external graders. A test without points takes the points of all from view, so they are required here.
PRAIRIELEARN = closed(
    {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "format_errors": {"anyOf": [TEXT, {"type": "array", "items": TEXT}]},
        "message": TEXT,
        "output": TEXT,
        "images": IMAGES,
        "tests": {
            "type": "array",
            "items": closed(
                {
                    "name": TEXT,
                    "description": TEXT,
                    "points": POINTS,
                    "max_points": POINTS,
                    "message": TEXT,
                    "output": TEXT,
                    "images": IMAGES,
                },
                "points",
                "max_points",
            ),
        },
    },
    anyOf=[{"required": ["score"]}, {"properties": {"gradable": {"const": False}}, "required": ["gradable"]}],
)

ERROR = closed(
    {"type": TEXT, "value": TEXT, "traceback": {"type": "array", "items": TEXT}, "data": FREE},
    "type",
    "value",
    "traceback",
    "data",
)
CAUSE = closed(
    {"rationale": TEXT, "help": {"type": ["string", "null"]}, "expected": TEXT, "actual": TEXT, "error": ERROR},
    "rationale",
    "help",
    dependentRequired={"expected": ["actual"], "actual": ["expected"]},
)

#: check50's JSON: `results` or `error`, never both. What passed has no cause, what failed has one.
CHECK50 = closed(
    {
        "slug": TEXT,
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
        "error": ERROR,
        "results": {
            "type": "array",
            "items": closed(
                {
                    "name": TEXT,
                    "description": TEXT,
                    "passed": {"type": ["boolean", "null"]},
                    "log": {"type": "array", "items": TEXT},
                    "cause": {"anyOf": [CAUSE, {"type": "null"}]},
                    "data": FREE,
                    "dependency": {"type": ["string", "null"]},
                },
                "name",
                "description",
                "passed",
                "log",
                "cause",
                "data",
                "dependency",
                oneOf=[
                    {"properties": {"passed": {"const": True}, "cause": {"type": "null"}}},
                    {"properties": {"passed": {"enum": [False, None]}, "cause": {"type": "object"}}},
                ],
            ),
        },
    },
    "slug",
    "version",
    oneOf=[{"required": ["results"]}, {"required": ["error"]}],
)

SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "gradescope": GRADESCOPE,
    "prairielearn": PRAIRIELEARN,
    "check50": CHECK50,
}
