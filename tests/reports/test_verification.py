from __future__ import annotations

import io

from rich.console import Console

from judge.model.verification import Row, Verification
from judge.reports.verification import show, text

SOUND = Verification(
    "row-mean",
    (),
    (
        Row("mistakes", "divided-twice", "killed by example-1", "3.4e+05 x"),
        Row("solutions", "accepted/[bold]odd.py", "accepted", "8.0% of the room"),
    ),
    recognised=(4, 5),
    minimal=("example-1",),
    seconds=6.94,
)
FAULTY = Verification(
    "ring", ("ring/oracle.py:3: `mean` is not finite",), (Row("oracle", "mean", "depends on nothing", fine=False),)
)


def test_plain_text_has_a_line_a_row_and_every_fault() -> None:
    assert text([SOUND, FAULTY]) == (
        "row-mean\n"
        "mistakes\tdivided-twice\tkilled by example-1\t3.4e+05 x\tok\n"
        "solutions\taccepted/[bold]odd.py\taccepted\t8.0% of the room\tok\n"
        "4 of 5 wrong solutions are recognised as the mistake that they name\n"
        "1 pinned cases kill what all of them kill: example-1\n"
        "row-mean: no fault, 6.9 s of work\n"
        "\n"
        "ring\n"
        "oracle\tmean\tdepends on nothing\t\tFAULT\n"
        "fault: ring/oracle.py:3: `mean` is not finite\n"
        "ring: 1 fault, 0.0 s of work\n"
        "\n"
        "2 problems: faults in ring\n"
    )


def test_the_terminal_shows_the_same_and_obeys_no_markup_in_a_name() -> None:
    stream = io.StringIO()
    show(Console(file=stream, width=120), [SOUND, FAULTY])
    shown = stream.getvalue()
    for row in (*SOUND.rows, *FAULTY.rows):
        assert row.name in shown and row.result in shown and row.figure in shown
    assert "fault: ring/oracle.py:3: `mean` is not finite" in shown
    assert shown.endswith("2 problems: faults in ring\n")
