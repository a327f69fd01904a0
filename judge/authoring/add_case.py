"""`judge add-case`: one more pinned case, its outputs by the oracle, in a problem.yaml that otherwise stays as it is.

The YAML is not written anew: the text of the case is put in at the end of the `cases:` block, so that every byte of the
author's stands, comments and line ends included. Then the problem is loaded again; if that fails, the old bytes come back.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from judge.authoring import mutation
from judge.bank.make import Draft, finish, key
from judge.bank.pinned import check_pinned, pinned_drafts
from judge.errors import FaultyFile, UsageError
from judge.explain_failure import plain
from judge.load.document import Document, parse_document
from judge.load.inputs import read_inputs
from judge.load.problems import load_problem, require_whole
from judge.model.case import Case
from judge.model.problem import Problem
from judge.oracle.client import MistakeFailed, Oracle, Outputs

WIDTH = 116
DIGITS = 6
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def add_case(problem: Problem, input_file: Path, *, name: str, visible: bool, category: str = "") -> str:
    """Add the case whose inputs are the JSON object in `input_file`; what was done, in words.

    Raises:
        UsageError: the name, the category or the inputs do not do, or a case with these inputs is there already.
        FaultyFile: the oracle has no answer, or the problem would not load with the case; nothing has changed then.
    """
    require_whole(problem, "add a case to")
    _check_name(problem, name, visible=visible, category=category)
    inputs = read_inputs(problem.spec, input_file)
    with Oracle(problem) as oracle:
        drafts = pinned_drafts(problem)
        for draft, pinned in zip(drafts, problem.spec.cases, strict=True):
            if key(draft.inputs) == key(inputs):
                raise UsageError(f"case {pinned.name} has these inputs already; nothing was added")
        *cases, case = finish(problem, oracle, [*drafts, Draft("new", "hidden", category, inputs)])
        kills = [_killed(problem, oracle, one) for one in (*cases, case)]
        _put(problem, oracle, _lines(name, case, visible=visible, category=category))
    return _told(problem, name, kills)


def _check_name(problem: Problem, name: str, *, visible: bool, category: str) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a case; use small letters, digits and dashes")
    if any(case.name == name for case in problem.spec.cases):
        raise UsageError(f"{problem.slug} has a case {name} already; choose another name")
    if not visible and not category.strip():
        raise UsageError("a hidden case needs a category: say what kind of case it is, without a number of it")


def _killed(problem: Problem, oracle: Oracle, case: Case) -> frozenset[str]:
    """Mistakes that a case kills with a margin."""
    if not problem.mistakes_file.is_file():
        return frozenset()
    answers: dict[str, dict[str, Outputs | None]] = {
        name: {case.id: None if isinstance(outputs, MistakeFailed) else outputs}
        for name, outputs in oracle.all_mistakes(case.inputs).items()
    }
    errors = mutation.errors([case], answers)
    return frozenset(name for name, one in errors.items() if one[case.id] >= mutation.MARGIN)


def _told(problem: Problem, name: str, kills: Sequence[frozenset[str]]) -> str:
    *before, new = kills
    file = problem.folder / "problem.yaml"
    text = f"added case {name} to {file}; it kills {len(new)} of the mistakes"
    fresh = new - frozenset().union(*before)
    if fresh:
        return f"{text}, which no pinned case did before: {', '.join(sorted(fresh))}"
    covering = next((case.name for case, one in zip(problem.spec.cases, before, strict=True) if new <= one), None)
    return f"{text}, as case {covering} does already" if covering else f"{text}, all of which other cases kill already"


def _lines(name: str, case: Case, *, visible: bool, category: str) -> list[str]:
    """The case as YAML, without the indentation of the list."""
    lines = [f"- name: {name}"]
    lines += ["  visible: true"] if visible else []
    # JSON's strings are YAML's in double quotes.
    lines += [f"  category: {json.dumps(category.strip(), ensure_ascii=False)}"] if category.strip() else []
    lines.append("  inputs:")
    for key_, value in case.inputs.items():
        lines += _flow(key_, plain(value))
    lines.append("  outputs:")
    for key_, expected in case.expected.items():
        lines += _flow(key_, _printed(expected))
    return lines


def _printed(value: np.ndarray[Any, Any]) -> Any:
    """As a statement prints it: six digits after the point, more where every number is small."""
    if value.dtype.kind != "f":
        return value.tolist()
    largest = float(np.max(np.abs(value), initial=0.0))
    digits = DIGITS if largest == 0 or largest >= 1e-2 else DIGITS - math.floor(math.log10(largest))
    return np.round(value, digits).tolist()


def _flow(name: str, value: Any) -> list[str]:
    """`name: value` in flow style; a long list is cut between its elements."""
    whole = f"    {name}: {json.dumps(value)}"
    if len(whole) <= WIDTH or not isinstance(value, list):
        return [whole]
    lines, line = [f"    {name}: ["], ""
    for place, one in enumerate(value):
        part = json.dumps(one) + ("," if place < len(value) - 1 else "")
        if line and len(line) + len(part) + 7 > WIDTH:
            lines.append(f"      {line}")
            line = ""
        line = f"{line} {part}".strip()
    return [*lines, f"      {line}", "    ]"]


def _put(problem: Problem, oracle: Oracle, lines: Sequence[str]) -> None:
    file = problem.folder / "problem.yaml"
    old = file.read_bytes()
    new = _inserted(file, old.decode("utf-8"), lines)
    _write(file, new.encode("utf-8"))
    try:
        changed = load_problem(problem.folder)
        if faults := check_pinned(changed, oracle):
            raise FaultyFile(f"problem {problem.slug}", faults)
    except BaseException:
        _write(file, old)
        raise


def _inserted(file: Path, text: str, lines: Sequence[str]) -> str:
    document, faults = parse_document(file, text.removeprefix("\ufeff"))
    if document is None or faults:
        raise FaultyFile(f"problem {file.parent.name}", faults)
    rows = text.splitlines(keepends=True)
    end = "\r\n" if rows and rows[0].endswith("\r\n") else "\n"
    place, indent, apart = _place(file, document, rows)
    new = [f"{indent}{line}{end}" for line in lines]
    new = [end, *new] if apart else new
    if place and not rows[place - 1].endswith(("\n", "\r")):
        rows[place - 1] += end
    return "".join([*rows[:place], *new, *rows[place:]])


def _place(file: Path, document: Document, rows: Sequence[str]) -> tuple[int, str, bool]:
    """After how many lines the case goes, its indentation, and whether an empty line stands between cases."""
    tops: Mapping[str, int] = {str(path[0]): line for path, line in document.lines.items() if len(path) == 1}
    count = len(document.data["cases"])
    first, last = (document.lines["cases", place] for place in (0, count - 1))
    opening = rows[first - 1]
    if first <= tops["cases"] or not opening.lstrip().startswith("-"):
        raise UsageError(
            f"{file}:{tops['cases']}: `cases` is written in brackets; write a case as `- name: ...` below it"
        )
    place = min((line - 1 for line in tops.values() if line > last), default=len(rows))
    # Empty lines and comments at the margin belong to what comes next.
    while not rows[place - 1].strip() or (place > last and rows[place - 1].startswith("#")):
        place -= 1
    return place, opening[: len(opening) - len(opening.lstrip())], count > 1 and not rows[last - 2].strip()


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all, with the permissions that it has."""
    try:
        mode = file.stat().st_mode & 0o777
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=".problem-", delete=False) as temporary:
            temporary.write(content)
        Path(temporary.name).chmod(mode)
        Path(temporary.name).replace(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}; nothing has changed") from error
