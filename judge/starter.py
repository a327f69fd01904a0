"""What `judge start` writes: the starter as it is, or a notebook around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from judge.bank.pinned import pinned_inputs
from judge.explain_failure import plain
from judge.load.statement import render
from judge.model.problem import Problem
from judge.reports.own import paste


def notebook(problem: Problem) -> bytes:
    """A notebook (format 4.5): the statement with its examples, the starter in a cell of its own, and the first example to try.

    Of its code cells only what `solve` needs is graded, so the others may do what they like.
    """
    cells = [
        _cell("markdown", "statement", render(problem)),
        _cell("code", "devices", _devices(problem)),
        _cell("code", "solve", problem.starter_file.read_text(encoding="utf-8")),
        _cell("code", "first-example", "\n".join(_first_example(problem))),
    ]
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    lines = text.strip("\n").splitlines(keepends=True)
    code: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": name, "metadata": {}, "source": lines, **code}


def _devices(problem: Problem) -> str:
    return (
        "# Run this cell first: JAX counts its devices once. It is not graded.\n"
        "import jax\n\n"
        f'jax.config.update("jax_num_cpu_devices", {problem.spec.devices})\n'
        "jax.devices()"
    )


def _first_example(problem: Problem) -> Iterator[str]:
    pinned = next(case for case in problem.spec.cases if case.visible)
    yield "# The first example, to try. It is not graded."
    inputs = {name: plain(value) for name, value in pinned_inputs(problem, pinned).items()}
    yield from paste(problem.spec, inputs)
