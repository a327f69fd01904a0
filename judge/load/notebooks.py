"""The part of a notebook that is a submission.

Kept of each code cell are imports, definitions and assignments at the top level, in order; magics, shell lines and bare
expressions (prints, plots, calls) are not. Two cells that define the entry function differently are a fault: which of them
counts would be a guess.
"""

from __future__ import annotations

import ast
import json
from typing import Any

KEPT = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
    ast.Assign, ast.AnnAssign, ast.AugAssign,
)  # fmt: skip


class NotUsable(Exception):
    """The content cannot be a submission; the message says why to its student."""


def source_of(content: bytes, *, entry: str = "solve", limit: int = 256 * 1024) -> bytes:
    """Python source of the cells that matter.

    Raises:
        NotUsable: no notebook, too large, a cell that does not parse, or no one definition of `entry`.
    """
    if len(content) > limit:
        raise NotUsable(f"the notebook is larger than {limit // 1024} KiB; clear its outputs and hand it in again.")
    cells = [_without_magics(cell) for cell in _code_cells(content)]
    parts, definitions = [], []
    for number, cell in enumerate(cells, 1):
        try:
            kept, defined = _kept(cell, entry)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if f"def {entry}" not in cell:
                continue
            raise NotUsable(f"code cell {number} does not parse ({type(error).__name__}).") from None
        parts += kept
        definitions += defined
    if len(set(definitions)) > 1:
        raise NotUsable(f"the notebook defines {entry} in {len(definitions)} cells, differently; keep one of them.")
    return ("\n\n".join(parts) + "\n").encode()


def _kept(cell: str, entry: str) -> tuple[list[str], list[str]]:
    """The source of what is kept of a cell, and the definitions of `entry` in it in a form that can be compared."""
    kept = [node for node in ast.parse(cell).body if isinstance(node, KEPT)]
    sources = [segment for node in kept if (segment := ast.get_source_segment(cell, node)) is not None]
    functions = (node for node in kept if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return sources, [ast.dump(node) for node in functions if node.name == entry]


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
    return "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else str(source)


def _without_magics(cell: str) -> str:
    if cell.lstrip().startswith("%%"):
        return ""
    return "\n".join("" if line.lstrip().startswith(("%", "!", "?")) else line for line in cell.splitlines())
