"""`report.html` in a real browser: it acts on nothing that a student wrote, asks for nothing, sorts and filters."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver import Chrome

from judge.model.record import Record
from judge.reports import html
from tests.support.results import HOSTILE, accepted, record, ungraded

pytestmark = pytest.mark.long("needs chromium")
CONTENT = {"environment": {"judge": "1+abc"}}


@pytest.fixture
def browser() -> Iterator[Chrome]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("chromium or its driver is missing; install the packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def open_page(browser: Chrome, folder: Path, records: list[Record]) -> None:
    place = folder / "report.html"
    place.write_text(html.render(CONTENT, records), encoding="utf-8")
    browser.get(place.as_uri())


def logged(browser: Chrome, kind: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return found


def run(browser: Chrome, script: str) -> object:
    return browser.execute_script(script)


COLUMN = "return [...document.querySelectorAll('#submissions-table tbody tr')].map(r => r.cells[{}].textContent.trim())"


def test_a_hostile_class_causes_no_error_no_request_and_no_element(browser: Chrome, tmp_path: Path) -> None:
    open_page(browser, tmp_path, [record(student=HOSTILE, reason=HOSTILE, stdout=HOSTILE), ungraded()])
    assert logged(browser, "browser") == []
    sent = [one["message"] for one in logged(browser, "performance")]
    asked = [one for one in sent if '"Network.requestWillBeSent"' in one]
    assert asked, "the page itself is a request"
    assert [one for one in asked if "report.html" not in one and '"url":"data:' not in one] == []
    assert run(browser, "return document.images.length") == 0
    assert str(run(browser, "return document.querySelector('article h3').textContent")).count("<img") == 1


def test_tables_sort_both_ways_by_keyboard_and_ungraded_comes_last(browser: Chrome, tmp_path: Path) -> None:
    records = [
        record(student="a", score=9.5),
        accepted(student="b"),
        ungraded(student="c"),
        record(student="d", score=30),
    ]
    open_page(browser, tmp_path, records)
    button = browser.find_elements("css selector", "#submissions-table th button")[3]
    button.send_keys("\n")
    assert run(browser, COLUMN.format(0)) == ["a", "d", "b", "c"]
    button.send_keys("\n")
    assert run(browser, COLUMN.format(0)) == ["b", "d", "a", "c"]
    sort = "return document.querySelector('#submissions-table [aria-sort]').getAttribute('aria-sort')"
    assert run(browser, sort) == "descending"


def test_the_filter_leaves_the_rows_that_have_every_word(browser: Chrome, tmp_path: Path) -> None:
    open_page(browser, tmp_path, [record(student="ada"), accepted(student="bob"), record(student="bobby")])
    browser.find_element("id", "filter").send_keys("bob wrong")
    shown = "return [...document.querySelectorAll('#submissions-table tbody tr:not([hidden])')].map(r => r.cells[0].textContent)"
    assert run(browser, shown) == ["bobby"]
    assert run(browser, "return document.getElementById('filtered').textContent") == "1 shown"


def test_two_hundred_submissions_are_all_there(browser: Chrome, tmp_path: Path) -> None:
    open_page(browser, tmp_path, [record(student=f"s{n:03}") for n in range(200)])
    assert run(browser, "return document.querySelectorAll('article').length") == 200
    assert logged(browser, "browser") == []


def test_dark_mode_follows_the_system(browser: Chrome, tmp_path: Path) -> None:
    open_page(browser, tmp_path, [record()])
    colours = []
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        colours.append(run(browser, "return getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(246, 247, 249)", "rgb(20, 23, 27)"]
