"""A problem's statement with its examples, which stand in `problem.yaml` alone."""

from __future__ import annotations

import json
from typing import Any

from judge.model.problem import PinnedCase, Problem

PLACE = "{{ examples }}"


def render(problem: Problem) -> str:
    """Markdown with TeX: the statement, the visible cases where it asks for them, else at its end."""
    examples = "\n\n".join(
        _example(number, case) for number, case in enumerate((c for c in problem.spec.cases if c.visible), 1)
    )
    if PLACE in problem.statement:
        return problem.statement.replace(PLACE, examples)
    return f"{problem.statement.rstrip()}\n\n## Examples\n\n{examples}\n"


def _example(number: int, case: PinnedCase) -> str:
    if case.inputs is not None:
        inputs = "\n".join(f"{name} = {_spelled(value)}" for name, value in case.inputs.items())
    else:
        assert case.rule is not None, "a case has inputs or a rule"
        sizes = ", ".join(f"{name} = {size}" for name, size in {**case.rule.dims, **case.rule.values}.items())
        inputs = f"# drawn with {sizes}"
    outputs = "\n".join(f"{name} = {_spelled(value)}" for name, value in case.outputs.items())
    text = f"**Example {number}**\n\nInput:\n\n```python\n{inputs}\n```\n\nOutput:\n\n```python\n{outputs}\n```"
    return f"{text}\n\n{case.explanation.strip()}" if case.explanation.strip() else text


def _spelled(value: Any) -> str:
    return json.dumps(value).replace("true", "True").replace("false", "False")
