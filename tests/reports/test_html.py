"""`report.html` as a document; a browser looks at it in the long tier."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from judge.model.record import Counterexample, Record
from judge.reports import html
from judge.reports.html import overview, plots, sections
from tests.support.results import HOSTILE, accepted, case, record, ungraded

CONTENT = {"environment": {"judge": "1+abc", "versions": {"jax": "0.10.2"}, "unsafe": False}}
VOID = {"meta", "link", "br", "input"}


class Reader(HTMLParser):
    """What a page is made of; an element that is not closed in order fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def a_class(size: int) -> list[Record]:
    slugs = ["jit-step", "local-means", "masked-step", "pmap-step", "shard-map-step", "ten-steps"]
    cases = tuple(
        case(f"fuzz-{n}", "fuzzed", "Large values, N=8", passed=n % 3 == 0, error=10.0 + n) for n in range(115)
    )
    return [record(student=f"student-{n:03}", problem=slugs[n % 6], cases=cases, reason="x" * 300) for n in range(size)]


def test_the_page_is_well_formed_and_every_anchor_leads_somewhere() -> None:
    page = Reader(html.render(CONTENT, [record(), accepted(student="bob"), ungraded(student="eve")]))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    links = [attrs["href"] or "" for tag, attrs in page.elements if tag == "a"]
    assert links and {link for link in links if not link.startswith("#") or link[1:] not in ids} == set()
    labels = [attrs["aria-labelledby"] for _, attrs in page.elements if "aria-labelledby" in attrs]
    assert labels and set(labels) <= set(ids)


def test_who_has_handed_in_nothing_and_what_was_noticed_are_on_the_page_and_do_not_act() -> None:
    course = {"students": {"zoe": HOSTILE}, "missing": {"zoe": ["jit-step"]}}
    text = html.render(
        {**CONTENT, "course": course, "notes": [f"class/{HOSTILE}: no problem of that name"]}, [record()]
    )
    ids = {attrs["id"] for _, attrs in Reader(text).elements if "id" in attrs}
    assert {"missing", "notes"} <= ids
    assert "zoe" in text and HOSTILE not in text
    plain_ = {attrs["id"] for _, attrs in Reader(html.render(CONTENT, [record()])).elements if "id" in attrs}
    assert not {"missing", "notes"} & plain_


def test_the_page_has_landmarks_and_a_sentence_for_every_drawing() -> None:
    page = Reader(html.render(CONTENT, [record(), accepted(student="bob")]))
    tags = [tag for tag, _ in page.elements]
    assert {"header", "nav", "main", "footer"} <= set(tags)
    drawings = [attrs for tag, attrs in page.elements if tag == "svg"]
    assert drawings and all(attrs.get("aria-label") or attrs.get("aria-hidden") for attrs in drawings)
    assert all(attrs.get("scope") for tag, attrs in page.elements if tag == "th")


def test_the_page_refers_to_nothing_outside_itself() -> None:
    text = html.render(CONTENT, [record()])
    assert "default-src 'none'" in text
    assert re.findall(r"(?:src|href|action)=\"(?!#|data:,)[^\"]*\"|url\(|@import|https?:", text) == []


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    found = Counterexample(HOSTILE, {HOSTILE: HOSTILE}, {HOSTILE: 1.0}, {HOSTILE: 2.0})
    hostile = record(
        student=HOSTILE,
        file=HOSTILE,
        reason=HOSTILE,
        mistake=HOSTILE,
        hint=HOSTILE,
        stdout=HOSTILE,
        notes=(HOSTILE,),
        counterexample=found,
        collectives=({"op": HOSTILE, "groups": [[0, 1]], "line": 1},),
        cases=(case(HOSTILE, "hidden", HOSTILE, error=3.0), case("b", "hidden", passed=True)),
    )
    text = html.render(CONTENT, [hostile])
    tags = {tag for tag, _ in Reader(text).elements}
    assert "img" not in tags
    assert text.count("&lt;img src=x onerror=alert(1)&gt;") > 10
    assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set(text)
    assert "{{7*7}}" in text


def test_two_hundred_submissions_make_a_page_below_five_megabytes() -> None:
    assert len(html.render(CONTENT, a_class(200)).encode()) < 5_000_000


def test_the_overview_counts_mistakes_and_who_is_caught_by_what() -> None:
    made = sections.make([record(), record(student="bob"), accepted(student="eve")])
    seen = overview.make(made)
    assert [(one["name"], one["count"]) for one in seen.mistakes] == [("gradient-eight-times", 2)]
    rows = {(row["group"], row["name"]): (row["cases"], row["caught"]) for row in seen.killers[0]["rows"]}
    assert rows["fuzzed", "secret-category"] == (1, 3)
    assert rows["hidden", "hidden-right"] == (1, 0)


def test_what_is_ungraded_counts_in_no_mean() -> None:
    seen = overview.make(sections.make([record(), ungraded(student="bob")]))
    assert seen.problems[0]["mean"] == "30.5"
    assert seen.problems[0]["ungraded"] == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan", "inf", 1.7e308, -1.7e308, 0.0])
def test_any_number_can_be_drawn(value: float | str) -> None:
    drawn = plots.pairs({"w": [value, 1.0]}, {"w": [1.0, value]})
    assert drawn.startswith("<svg")
    assert re.findall(r'(?:cx|x|y)="(?:nan|inf)', drawn) == []


def test_a_missing_output_is_said_beside_its_expected_value() -> None:
    assert "yours has none" in plots.pairs({"w": 1.0, "b": 2.0}, {"w": 1.0})
