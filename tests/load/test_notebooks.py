"""The part of a notebook that is a submission."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.load.notebooks import NotUsable, source_of

SOLVE = "def solve(x):\n    return x\n"


def notebook(*cells: Any, kind: str = "code") -> bytes:
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": kind, "source": cell} for cell in cells]}).encode()


def test_what_the_entry_needs_is_kept_in_order_and_nothing_else() -> None:
    solve = "@jax.jit\ndef solve(x):\n    return mesh * x\n"
    notes = "solve(3)\nplt.plot([1])\nloss = train(solve)"
    source = source_of(notebook("import jax\nmesh = 1\nprint(mesh)", solve, notes)).decode()
    assert source.index("import jax") < source.index("mesh = 1") < source.index("@jax.jit\ndef solve")
    assert "print" not in source and "plt" not in source and "solve(3)" not in source and "train" not in source
    compile(source, "solve.py", "exec")


@pytest.mark.parametrize("magic", ["%matplotlib inline", "!pip install jax", "?solve", "%time x"])
def test_magics_and_shell_lines_are_left_out(magic: str) -> None:
    source = source_of(notebook(f"{magic}\n{SOLVE}"))
    assert magic.strip().encode() not in source
    assert b"def solve" in source


def test_a_cell_in_another_language_is_left_out() -> None:
    assert b"echo" not in source_of(notebook("%%bash\necho hi", SOLVE))


def test_a_source_in_lines_and_a_notebook_of_format_3_are_read() -> None:
    assert b"def solve" in source_of(notebook(["def solve(x):\n", "    return x\n"]))
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": [SOLVE]}]}]}
    assert b"def solve" in source_of(json.dumps(old).encode())


def test_the_same_definition_twice_is_fine_and_two_different_ones_are_not() -> None:
    assert source_of(notebook(SOLVE, SOLVE + "\n# again\n"))
    with pytest.raises(NotUsable, match="defines solve in 2 places, differently"):
        source_of(notebook(SOLVE, "def solve(x):\n    return 2 * x\n"))


def test_an_entry_that_is_assigned_twice_is_refused_and_one_that_is_wrapped_is_not() -> None:
    with pytest.raises(NotUsable, match="defines solve in 2 places, differently"):
        source_of(notebook(SOLVE, "solve = jax.jit(step)"))
    with pytest.raises(NotUsable, match="defines solve in 2 places, differently"):
        source_of(notebook("solve = first", "solve = second"))
    assert b"solve = jax.jit(solve)" in source_of(notebook(SOLVE, "solve = jax.jit(solve)"))
    assert b"if fast:" in source_of(notebook(SOLVE, "if fast:\n    solve = jax.jit(solve)"))
    assert b"return solve(x - 1)" in source_of(notebook("def solve(x):\n    return solve(x - 1)"))
    assert b"solve = step" in source_of(notebook("def step(x):\n    return x", "solve = step"))


def test_a_broken_cell_matters_only_where_the_entry_is() -> None:
    assert b"def solve" in source_of(notebook("this is not python", SOLVE))
    with pytest.raises(NotUsable, match="code cell 2 does not parse"):
        source_of(notebook("x = 1", "def solve(x:\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no code cell"),
        (b"{}", "no code cell"),
        (b'{"cells": 3}', "no code cell"),
        (notebook(SOLVE, kind="markdown"), "no code cell"),
        (b" " * (8 * 2**20 + 1), "larger than 8 MiB"),
        (notebook("x = 1\n" * 50_000, SOLVE), "code is larger than 256 KiB"),
    ],
)
def test_what_is_no_notebook_says_why(content: bytes, message: str) -> None:
    with pytest.raises(NotUsable, match=message):
        source_of(content)


cells = st.lists(
    st.text(max_size=20) | st.sampled_from([SOLVE, "%%x", "!ls", "def solve(", "\udc80"]) | st.integers(), max_size=4
)


@given(st.binary(max_size=60) | cells.map(lambda parts: notebook(*parts)))
def test_any_bytes_are_source_that_compiles_or_not_usable(content: bytes) -> None:
    try:
        source = source_of(content)
    except NotUsable as error:
        assert str(error)
        return
    source.decode()
