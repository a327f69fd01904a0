"""`report.html` as a document; a browser looks at it in the long tier."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from judge.model.record import Counterexample
from judge.reports import html
from judge.reports.html import overview, plots, sections
from tests.support.results import HOSTILE, a_class, accepted, case, record, ungraded

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


def test_code_in_a_sentence_is_shown_as_code_and_stays_harmless() -> None:
    page = html.render(CONTENT, [record(reason=f"`w` is wrong, `{HOSTILE}` too, a lone ` stays", hint="Use `pmean`.")])
    assert "<code>w</code> is wrong, <code>&lt;img" in page
    assert "a lone ` stays" in page
    assert "Use <code>pmean</code>." in page
    lone = html.render(CONTENT, [record(reason="use `pcast(x) (line 3: `y = pvary(x)`).")])
    assert "use `pcast(x) (line 3: <code>y = pvary(x)</code>)." in lone
    Reader(page)


def test_replicas_that_differ_have_a_row_and_a_colour_each() -> None:
    (made,) = sections.make([record()])
    shown = [
        (one["row"].devices, one["row"].values, re.findall(r'class="(h\d)"', str(one["region"])))
        for one in made.shards[:3]
    ]
    assert shown == [("0-6", "[[8.88]]", ["h0"]), ("7", "[[1.11]]", ["h1"]), ("0-7", "121.0", ["h0"])]
    assert made.shards_of == "the input above"


@pytest.mark.parametrize(
    ("shape", "index", "box"),
    [
        ((), (), (0, 0, 1, 1)),
        ((4, 2), ((0, 4), (0, 2)), (0, 0, 1, 1)),
        ((4, 2), ((2, 4), (0, 2)), (0.5, 0, 0.5, 1)),
        ((2, 8), ((0, 2), (2, 4)), (0.25, 0, 0.25, 1)),
        ((4, 4), ((0, 2), (2, 4)), (0, 0.5, 0.5, 0.5)),
        ((0, 2), ((0, 0), (0, 2)), (0, 0, 1, 1)),
        # What a live run claims need not fit its shape.
        ((4,), ((2, 4), (0, 2)), (0.5, 0, 0.5, 1)),
    ],
)
def test_a_part_is_drawn_where_it_lies(
    shape: tuple[int, ...], index: tuple[tuple[int, int], ...], box: tuple[float, ...]
) -> None:
    drawn = str(plots.region(shape, index, "h0"))
    (values,) = re.findall(r'"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z" class="h0"', drawn)
    x, y, width, height = map(float, values)
    got = (x / 120, y / 12, width / 120, height / 12)
    assert got == pytest.approx(box, abs=0.01)


def test_devices_that_hold_a_part_are_filled_among_all() -> None:
    drawn = str(plots.chips((0, 3), 4, "h0"))
    assert re.findall(r'd="([^"]+)" class="chip h0"', drawn) == ["M1 6h10M40 6h10"]
    assert plots.chips((70_000,), 70_001, "h0") == ""


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


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan", "inf", 1.797e308, -1.797e308, 0.0])
def test_any_number_can_be_drawn(value: float | str) -> None:
    drawn = plots.pairs({"w": [value, 1.0]}, {"w": [1.0, value]})
    assert drawn.startswith("<svg")
    assert re.findall(r'(?:cx|x|y)="(?:nan|inf)', drawn) == []


def test_a_difference_of_rounding_is_not_drawn_as_a_distance() -> None:
    near, far = (
        [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', plots.pairs({"b": [0.2]}, {"b": [other]}))]
        for other in (0.19999999, 0.3)
    )
    assert abs(near[0] - near[1]) < 1
    assert abs(far[0] - far[1]) > 300


def test_a_missing_output_is_said_beside_its_expected_value() -> None:
    assert "yours has none" in plots.pairs({"w": 1.0, "b": 2.0}, {"w": 1.0})
