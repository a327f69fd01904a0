"""How large the report of a class is, and how long a browser takes to open it.

    python tests/bench/report.py [--submissions 200] [--loads 5]

The class is made of records like those of a real one: wrong answers with a counterexample, 115 cases and outputs split over 8
devices. Times are the browser's own, from the start of the navigation to the end of the `load` event; the best of the loads
counts, since the first one warms the browser up.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from selenium import webdriver
from selenium.webdriver import Chrome

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from judge.model.record import Record  # noqa: E402  the checkout is put on the path first
from judge.reports import html  # noqa: E402
from tests.support.results import a_class  # noqa: E402

ENDED = "return performance.getEntriesByType('navigation')[0].loadEventEnd"


@dataclass(frozen=True, slots=True)
class Opened:
    """Bytes of the page, seconds that it took to make, and milliseconds of each load."""

    size: int
    made_s: float
    loads_ms: tuple[float, ...]


class NoBrowser(Exception):
    """Chromium or its driver is missing. Tests skip, the command line ends."""


@contextmanager
def chromium(**logs: str) -> Iterator[Chrome]:
    """A headless Chromium; `logs` as its driver names them.

    Raises:
        NoBrowser: with the packages to install.
    """
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        raise NoBrowser("chromium or its driver is missing; install the packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", logs)
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


def measure(browser: Chrome, place: Path, records: list[Record], loads: int) -> Opened:
    started = time.monotonic()
    place.write_text(html.render({"environment": {}}, records), encoding="utf-8")
    made_s = time.monotonic() - started
    found = []
    for _ in range(loads):
        browser.get(place.as_uri())
        found.append(float(browser.execute_script(ENDED)))
    return Opened(place.stat().st_size, made_s, tuple(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--loads", type=int, default=5)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder, chromium() as browser:
            found = measure(browser, Path(folder) / "report.html", a_class(options.submissions), options.loads)
    except NoBrowser as missing:
        sys.exit(str(missing))
    print(
        f"{options.submissions} submissions: {found.size / 1e6:.2f} MB, made in {found.made_s:.2f} s, "
        f"opened in {min(found.loads_ms):.0f} ms ({', '.join(f'{one:.0f}' for one in found.loads_ms)})"
    )


if __name__ == "__main__":
    main()
