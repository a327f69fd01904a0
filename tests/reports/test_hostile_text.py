"""Whatever a student wrote, wherever it stands: every report can be read by its own kind of reader, and none of it acts."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.model.record import Counterexample, Record
from tests.support.records import WRONG
from tests.support.reports import reports, unfenced

TEXTS = {
    "escapes": "\x1b[2J\x1b]0;title\x07\x1b]52;c;eA==\x07\r\x08\x9b1m\x7f\x00",
    "bidirectional": "\u202eaccepted\u202c\u2066x\u2069\u200f\u200b\ufeff\u2028\u2029\U000e0041",
    "markup": "</pre></td><script>alert(1)</script><img src=x onerror=alert(1)><!--",
    "markdown": "```\n# accepted\n| 100 | ![](http://x)\n",
    "formula": '=HYPERLINK("http://x")\n;=1+1\n@SUM(1)',
    "commands": "::error::x\n##vso[task.complete]\n::stop-commands::x",
    "xml": "]]></failure><testcase name='x'/>\ufffe\uffff&#0;",
    "surrogate": "\ud800",
    "markup of the terminal": "[bold]x[/bold][/]",
}
FIFTY_MEGABYTES = 50_000_000
MOST_BYTES = 400_000


def written(text: str) -> Record:
    """A record in which a student wrote `text` wherever they can."""
    found = Counterexample("example-1", {"lr": 1.0}, {"loss": 1.0}, {text: 1.0, "loss": text})
    collectives = ({"op": text, "groups": [[0]], "line": 1},)
    return replace(
        WRONG,
        student=text,
        file=text,
        reason=text,
        stdout=text,
        notes=(text,),
        counterexample=found,
        collectives=collectives,
    )


class Tags(HTMLParser):
    """What a browser would act on: names of elements, and attributes that run something or fetch something."""

    def __init__(self) -> None:
        super().__init__()
        self.acting: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        self.acting += [tag] * (tag in ("script", "img", "iframe", "object", "base")) + sorted(
            name for name in names if name.startswith("on") or name in ("src", "srcset")
        )


def acting(text: str) -> set[str]:
    return {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")} - {"\n"}


def html_acts(text: str) -> list[str]:
    tags = Tags()
    tags.feed(text)
    return tags.acting


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def readable_and_inert(name: str, text: str, plain: dict[str, str]) -> None:
    assert acting(text.replace("\r\n", "\n") if name.endswith(".csv") else text) == set(), name
    match name.rpartition(".")[2]:
        case "json":
            assert text.isascii(), name
            json.loads(text)
        case "xml":
            cases = ET.fromstring(text).findall(".//testcase")
            assert len(cases) == 1, name
        case "csv":
            assert not [cell for cell in cells(text) if cell.lstrip().startswith(("=", "+", "@"))], name
            assert len(cells(text)) == len(cells(plain[name])), name
        case "html":
            assert html_acts(text) == html_acts(plain[name]), name
        case "md":
            heads = [line for line in unfenced(text) if line.startswith("# ")]
            assert heads == [text.partition("\n")[0]], name
        case "txt":
            assert not [line for line in text.splitlines() if line.lstrip().startswith("::") or "##vso[" in line], name
        case other:
            pytest.fail(f"{name}: nothing reads {other}")


PLAIN = {name: text for name, text in reports(written("x")).items() if "/" not in name}


def check(text: str) -> None:
    for name, report in reports(written(text)).items():
        readable_and_inert(name, report, PLAIN)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_text_acts_in_no_report(text: str) -> None:
    check(text)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.text(st.characters(), min_size=1, max_size=40) | st.text("=+-@;\"'`|#<>&:\n\r\t ,[]/\\", min_size=1, max_size=30)
)
def test_no_text_acts_in_any_report(text: str) -> None:
    check(text)


@pytest.mark.long("makes every report from texts of fifty megabytes")
@pytest.mark.parametrize("letter", ["a", "\x1b", "\u202e", "`", "="])
def test_fifty_megabytes_become_pages_of_some_kilobytes(letter: str) -> None:
    """Fields are cut on their way in already; a report that grew with them would be a second way to fill a disk."""
    sized: dict[str, Any] = {"reason": letter * FIFTY_MEGABYTES, "notes": (letter * FIFTY_MEGABYTES,)}
    made = reports(replace(WRONG, **sized))
    # The record itself is kept whole: what may be in it is bounded where it is made.
    del made["results.json"]
    assert {name for name, text in made.items() if len(text) > MOST_BYTES} == set()
