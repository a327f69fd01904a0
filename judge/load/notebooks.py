"""The part of a notebook that is a submission.

Kept are the statements that the entry function needs: its definition, and the imports, definitions and assignments at the
top level of any code cell that it uses, directly or through another one. Prints, plots, training runs and whatever else
the notebook did on the way are not. Two cells that define the entry function differently are a fault: which of them counts
would be a guess.

The source is parsed here, on the trusted side, and never run. Its size is bounded first, each step takes time linear in it,
and CPython answers nesting that is too deep with an exception.
"""

from __future__ import annotations

import ast
import json
import re
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: Pictures are kept inside notebooks, so the file may be much larger than the code in it.
MAX_NOTEBOOK_BYTES = 8 << 20
MAX_CODE_BYTES = 256 * 1024

_KEPT = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass,
)  # fmt: skip
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
#: Cell magics whose cell is Python all the same.
_PYTHON_CELLS = re.compile(r"%%(time|timeit|capture|prun)\b")
_MAGIC = re.compile(r"(?P<indent>\s*)([%!?].*|[\w.]+\?{1,2}\s*)")
_ASSIGNED_MAGIC = re.compile(r"(?P<before>\s*[\w, ]+=\s*)[%!].*")


class NotUsable(Exception):
    """The content cannot be a submission; the message says why to its student."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """One top-level statement: names that it sets, names that it reads, and, where it defines the entry, its form."""

    text: str
    sets: frozenset[str]
    reads: frozenset[str]
    always: bool
    definition: str


def source_of(content: bytes, *, entry: str = "solve", limit: int = MAX_CODE_BYTES) -> bytes:
    """Python source of the statements that `entry` needs; `limit` bounds the bytes of all code cells together.

    Raises:
        NotUsable: no notebook, too large, a cell that does not parse, or no one definition of `entry`.
    """
    if len(content) > MAX_NOTEBOOK_BYTES:
        raise NotUsable(f"the notebook is larger than {MAX_NOTEBOOK_BYTES >> 20} MiB; clear its outputs.")
    cells = _code_cells(content)
    if sum(len(cell) for cell in cells) > limit:
        raise NotUsable(f"the notebook's code is larger than {limit // 1024} KiB; hand in the solution alone.")
    statements = [one for number, cell in enumerate(cells, 1) for one in _statements(number, cell, entry)]
    definitions = [one.definition for one in statements if one.definition]
    if not any(entry in one.sets for one in statements):
        raise NotUsable(f"no code cell of the notebook defines {entry}.")
    if len(set(definitions)) > 1:
        raise NotUsable(f"the notebook defines {entry} in {len(definitions)} places, differently; keep one of them.")
    kept = _needed(statements, entry)
    # Python wants `from __future__` before everything else, wherever its cell stood.
    kept.sort(key=lambda one: not one.text.startswith("from __future__"))
    return ("\n\n".join(one.text for one in kept) + "\n").encode()


def _needed(statements: Sequence[_Statement], entry: str) -> list[_Statement]:
    """Statements that set a name that `entry` needs, directly or through others, in their order."""
    setters: dict[str, list[_Statement]] = {}
    for one in statements:
        for name in one.sets:
            setters.setdefault(name, []).append(one)
    wanted = {entry, *(name for one in statements if one.always for name in one.reads)}
    queue = list(wanted)
    while queue:
        for one in setters.pop(queue.pop(), ()):
            fresh = (one.reads | one.sets) - wanted
            wanted |= fresh
            queue += fresh
    return [one for one in statements if one.always or one.sets & wanted]


def _statements(number: int, cell: str, entry: str) -> Iterator[_Statement]:
    try:
        lines, nodes = _parsed(cell)
        for node in nodes:
            if _is_kept(node):
                yield _statement(lines, node, entry)
    except _UNPARSABLE as error:
        # A broken cell of notes is nobody's business; the one with the solution is.
        if re.search(rf"\b(def\s+{entry}\b|{entry}\s*=)", cell):
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            raise NotUsable(f"code cell {number} does not parse ({type(error).__name__}{line}).") from None


def _parsed(cell: str) -> tuple[list[bytes], list[ast.stmt]]:
    """The lines of a cell, as bytes since columns count bytes, and its statements."""
    try:
        tree = ast.parse(cell)
    except SyntaxError:
        cell = _without_magics(cell)
        tree = ast.parse(cell)
    return cell.encode().split(b"\n"), tree.body


def _is_kept(node: ast.stmt) -> bool:
    """Imports, definitions, assignments; and `try` and `if` that hold nothing else, such as a guarded import."""
    if isinstance(node, ast.Try | ast.If):
        handlers = node.handlers if isinstance(node, ast.Try) else []
        inner = [*node.body, *node.orelse, *(one for handler in handlers for one in handler.body)]
        inner += node.finalbody if isinstance(node, ast.Try) else []
        return all(map(_is_kept, inner))
    return isinstance(node, _KEPT)


def _statement(lines: list[bytes], node: ast.stmt, entry: str) -> _Statement:
    text = _text_of(lines, node)
    table = symtable.symtable(text, "notebook", "exec")
    sets = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
    reads = {one.get_name() for one in table.get_symbols() if one.is_referenced()}
    reads |= set(_globals_read(table))
    star = isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*")
    # `solve = jax.jit(solve)` changes a definition; `solve = step` is one.
    whole = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    defines = entry in sets and (whole or entry not in reads)
    return _Statement(
        text, frozenset(sets | set(_changed(node))), frozenset(reads), star, ast.dump(node) if defines else ""
    )


def _globals_read(table: symtable.SymbolTable) -> Iterator[str]:
    for inner in table.get_children():
        yield from (one.get_name() for one in inner.get_symbols() if one.is_global())
        yield from _globals_read(inner)


def _changed(node: ast.stmt) -> Iterator[str]:
    """Names of objects that an assignment changes in place: `settings` in `settings["rate"] = 1`."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        root: ast.expr = target
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            yield root.id


def _text_of(lines: list[bytes], node: ast.stmt) -> str:
    """The source of a statement, its decorators included, which `ast.get_source_segment` leaves out."""
    assert node.end_lineno is not None, "a parsed statement has an end"
    assert node.end_col_offset is not None, "a parsed statement has an end"
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first, start = (decorators[0].lineno, 0) if decorators else (node.lineno, node.col_offset)
    part = lines[first - 1 : node.end_lineno]
    part[-1] = part[-1][: node.end_col_offset]
    part[0] = part[0][start:]
    return b"\n".join(part).decode()


def _code_cells(content: bytes) -> list[str]:
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise NotUsable("the file is no notebook: it is not JSON; save it again from Jupyter.") from None
    cells = _listed(notebook, "cells")
    if cells is None:
        sheets = _listed(notebook, "worksheets") or []
        cells = [cell for sheet in sheets for cell in _listed(sheet, "cells") or []]
    code = [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    if not code:
        raise NotUsable("the notebook has no code cell.")
    return [_text(cell.get("source", cell.get("input", ""))) for cell in code]


def _listed(value: Any, name: str) -> list[Any] | None:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else None


def _text(source: Any) -> str:
    text = "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else str(source)
    # The parser counts all three as one end of line, and so must the split into lines.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without_magics(cell: str) -> str:
    """The cell with its magics and shell lines replaced line by line, so that a block keeps a statement."""
    start = cell.lstrip()
    if start.startswith("%%") and not _PYTHON_CELLS.match(start):
        return ""
    return "\n".join(map(_plain_line, cell.split("\n")))


def _plain_line(line: str) -> str:
    if magic := _MAGIC.fullmatch(line):
        return f"{magic['indent']}pass"
    if magic := _ASSIGNED_MAGIC.fullmatch(line):
        return f"{magic['before']}None"
    return line
