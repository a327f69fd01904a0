"""What `judge run` prints."""

from __future__ import annotations

import io
import math
from dataclasses import replace

from rich.console import Console

from judge.model.comparison import Comparison, Element, Output
from judge.reports.run import show

RIGHT = Output("loss", "float32 (), on device 0 alone", (Element("loss", 2.0, 2.0, 0.0),))
WRONG = Output(
    "w",
    "float32 (2,), whole on each of 2 devices",
    (Element("w[0]", 8.5, 1.0, 7.5e6), Element("w[1]", math.nan, 1.0, math.inf)),
    more=3,
    copies=(("device 0", "w[0] = 8.5"), ("devices 1, 2", "w[0] = 1")),
)
FOUND = Comparison(("`w` is [bold]8.5[/bold].",), (RIGHT, WRONG), True, "hi\n")


def shown(found: Comparison) -> list[str]:
    file = io.StringIO()
    show(Console(file=file, width=120), found)
    return file.getvalue().splitlines()


def test_each_element_stands_beside_the_oracles_with_the_difference_in_tolerances() -> None:
    lines = shown(FOUND)
    assert "w  float32 (2,), whole on each of 2 devices" in lines
    rows = [line.split() for line in lines]
    assert ["w[0]", "8.5", "1", "7.5", "7.5e+06"] in rows
    assert ["w[1]", "nan", "1", "nan", "-"] in rows
    assert any("and 3 more" in line for line in lines)


def test_what_each_device_holds_and_what_was_printed_is_shown_and_markup_is_text() -> None:
    lines = [line.strip() for line in shown(FOUND)]
    assert "device 0: w[0] = 8.5" in lines and "devices 1, 2: w[0] = 1" in lines
    assert "| hi" in lines
    assert lines[-1] == "wrong  `w` is [bold]8.5[/bold]."


def test_only_what_was_compared_is_called_right() -> None:
    right = Comparison((), (RIGHT,), True, "")
    assert shown(right)[-1] == "right  every output is within its tolerance"
    alone = replace(RIGHT, elements=(Element("loss", 2.0, None, 0.0),))
    lines = shown(replace(right, outputs=(alone,), compared=False))
    assert lines[-1] == "not compared: the oracle of this problem is private"
    assert not any("oracle  difference" in line for line in lines)
