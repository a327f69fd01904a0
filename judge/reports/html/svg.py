"""Pieces of SVG. Numbers are written by format, text is escaped: nothing else goes into a drawing."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from judge.reports.redact import plain

NOTHING = Markup()


def drawing(width: float, height: float, label: str, parts: Iterable[Markup], *, css: str = "plot") -> Markup:
    """A drawing of that size in pixels, with the sentence that a screen reader says instead of it."""
    # A bar takes whatever width there is; everything else keeps its proportions.
    stretched = Markup('preserveAspectRatio="none" ') if "wide" in css else NOTHING
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" width="{}" height="{}" {}role="img" aria-label="{}">{}</svg>'
    ).format(css, *map(num, (width, height, width, height)), stretched, plain(label), Markup().join(parts))


def ornament(width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """A small drawing inside a line that says the same in words; a screen reader passes over it."""
    return Markup('<svg class="inline" width="{}" height="{}" aria-hidden="true">{}</svg>').format(
        num(width), num(height), Markup().join(parts)
    )


def text(x: float, y: float, content: str, *, css: str = "", anchor: str = "start", most: int = 40) -> Markup:
    shown = plain(content, most=4 * most)
    shown = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        num(x), num(y), css, anchor, shown
    )


def rect(x: float, y: float, width: float, height: float, css: str, *, title: str = "") -> Markup:
    told = Markup("<title>{}</title>").format(plain(title)) if title else NOTHING
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>').format(
        num(x), num(y), num(width), num(height), css, told
    )


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> Markup:
    return path([f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}"], css)


def path(moves: Iterable[str], css: str) -> Markup:
    """One path for many marks: a page of hundreds of drawings stays small."""
    joined = "".join(moves)
    return Markup('<path d="{}" class="{}"/>').format(joined, css) if joined else NOTHING


def circle(x: float, y: float, radius: float, css: str, *, title: str = "") -> Markup:
    told = Markup("<title>{}</title>").format(plain(title)) if title else NOTHING
    return Markup('<circle cx="{}" cy="{}" r="{}" class="{}">{}</circle>').format(
        num(x), num(y), num(radius), css, told
    )


def num(value: float) -> str:
    """A coordinate to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")
