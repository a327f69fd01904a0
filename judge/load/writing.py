"""A spec as the text of a `problem.yaml`. What is at its default is left out."""

from __future__ import annotations

import io
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from judge.model.problem import Spec

WIDTH = 116
#: Characters of a mapping that still stands on one line.
SHORT = 100


def problem_yaml(spec: Spec, *, head: str) -> str:
    """The YAML; `head` is a comment of one line before it."""
    yaml = YAML()
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    values = spec.model_dump(mode="json", exclude_defaults=True)
    text = io.StringIO()
    yaml.dump(CommentedMap({key: _laid_out(value) for key, value in values.items()}), text)
    return f"# {head}\n{text.getvalue()}"


def _laid_out(value: Any) -> Any:
    """The same values: short mappings and lists of plain values in brackets, all else indented."""
    if isinstance(value, dict):
        mapping = CommentedMap({key: _laid_out(one) for key, one in value.items()})
        if len(str(value)) <= SHORT:
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        sequence = CommentedSeq([_laid_out(one) for one in value])
        if not any(isinstance(one, dict) for one in value):
            sequence.fa.set_flow_style()
        return sequence
    return value
