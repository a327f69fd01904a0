"""The drawings of the page, each a function from numbers to SVG. Colours come from the style sheet, by class."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from judge.reports.html.svg import NOTHING, circle, drawing, line, num, ornament, path, rect, text

#: Elements of an output that are drawn; the lines to paste have them all.
MOST_ELEMENTS = 10
MOST_DEVICES = 64
#: Pixels between two groups of cases, and the room that the name of one needs.
GAP, LABEL = 8.0, 66.0

__all__ = ["NOTHING", "bar", "chips", "device_groups", "errors", "matrix", "pairs", "region", "stacked", "times"]


def stacked(parts: Sequence[tuple[str, str, int]], *, slim: bool = False) -> Markup:
    """(kind, name, count) as one bar, its parts as long as their share."""
    total = sum(count for *_, count in parts)
    width, height = (180.0, 12.0) if slim else (1000.0, 28.0)
    drawn, x = [], 0.0
    for kind, name, count in parts:
        long = width * count / max(total, 1)
        # The last pixel is left free, so that neighbours of one colour stay two.
        drawn.append(rect(x, 0, max(long - 1, 1), height, f"k-{kind}", title=f"{count} {name}"))
        x += long
    told = ", ".join(f"{count} {name}" for _, name, count in parts)
    return drawing(width, height, told or "nothing", drawn, css="bar slim" if slim else "bar wide")


def bar(value: float, longest: float) -> Markup:
    width = 160 * value / longest if longest > 0 else 0
    return drawing(160, 8, f"{value:.3f} seconds", [rect(0, 0, max(width, 0.5), 8, "k-time")], css="bar slim")


def pairs(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> Markup:
    """Expected against actual, a row an element; each output has a scale of its own."""
    rows: list[Markup] = []
    y = 0.0
    for key, right in expected.items():
        wanted, got = dict(_leaves(key, right)), dict(_leaves(key, actual.get(key, ())))
        names = sorted(wanted, key=lambda name: wanted[name] == got.get(name))[:MOST_ELEMENTS]
        names = [name for name in wanted if name in names]
        scale = _scale([*wanted.values(), *got.values()])
        for name in names:
            y += 22
            rows.extend(_pair(y, name, wanted[name], got.get(name), scale))
        if len(wanted) > len(names):
            y += 18
            rows.append(text(120, y + 2, f"and {len(wanted) - len(names)} more of {key}", css="dim"))
        y += 8
    if not rows or not actual:
        return NOTHING
    return drawing(720, y + 8, "Expected against actual values; the numbers stand beside it.", rows)


def _pair(y: float, name: str, wanted: float, got: float | None, scale: tuple[float, float]) -> Iterator[Markup]:
    yield text(112, y + 4, name, css="mono", anchor="end", most=16)
    yield line(124, y, 464, y, "rule")
    x = _place(wanted, scale)
    if got is None:
        yield text(484, y + 4, f"{wanted:.6g}, and yours has none", css="mono", most=40)
    else:
        right = wanted == got or math.isclose(wanted, got, rel_tol=1e-6)
        if math.isfinite(got):
            yield line(x, y, _place(got, scale), y, "gap")
            yield circle(_place(got, scale), y, 5, "actual near" if right else "actual")
        told = f"{wanted:.6g}" if right else f"{wanted:.6g} → {got:.6g}"
        yield text(484, y + 4, told, css="mono" if right else "mono strong", most=40)
    yield circle(x, y, 5, "expected")


def _leaves(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """(name with indices, number) of every element, in C order."""
    pending: list[tuple[tuple[int, ...], Any]] = [((), value)]
    while pending:
        index, one = pending.pop()
        if isinstance(one, list | tuple):
            pending.extend(((*index, place), part) for place, part in reversed(list(enumerate(one))))
        else:
            try:
                yield f"{name}[{','.join(map(str, index))}]" if index else name, float(one)
            except (TypeError, ValueError):
                continue


def _scale(values: Sequence[float]) -> tuple[float, float]:
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    # Rounding is not drawn as a distance: what is a thousandth apart takes the whole width at most.
    room = 1e-3 * max(abs(low), abs(high)) or 1.0
    if high / 2 - low / 2 > room / 2:
        return low, high
    return max(low - room, -sys.float_info.max), min(high + room, sys.float_info.max)


def _place(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    if not math.isfinite(value):
        return 464.0
    # Halved first: the span of the largest floats is no float.
    return 130 + 328 * ((value / 2 - low / 2) / (high / 2 - low / 2))


def errors(cases: Sequence[Mapping[str, Any]]) -> Markup:
    """Error over tolerance by case, on a logarithmic axis; what is right is a tick below the line."""
    sizes = [float(case["error"]) for case in cases if case["error"]]
    decades = max(3, math.ceil(math.log10(max([10.0, *sizes]))))
    high, base, left = 120.0, 136.0, 66.0
    step = min(6.0, 560 / max(len(cases), 1))
    passed, failed, unknown = [], [], []
    drawn = [
        *(line(left, base - high * part, 716, base - high * part, "rule") for part in (0.5, 1.0)),
        line(left, base, 716, base, "tolerance"),
        text(left - 6, base + 4, "tolerance", css="dim", anchor="end"),
        *(
            text(left - 6, base - high * part + 4, f"×1e{round(decades * part)}", css="dim", anchor="end")
            for part in (0.5, 1.0)
        ),
    ]
    x, group, free = left + 6, "", 0.0
    for case in cases:
        if case["group"] != group:
            group = str(case["group"])
            x = max(x + GAP, free) if free else x
            free = x + LABEL
            drawn.append(text(x, base + 26, group, css="dim"))
        if case["passed"]:
            passed.append(f"M{num(x)} {num(base + 3)}v7")
        elif case["error"]:
            part = min(max(math.log10(float(case["error"])) / decades, 0.02), 1)
            failed.append(f"M{num(x)} {num(base)}v{num(-high * part)}")
        else:
            unknown.append(f"M{num(x)} {num(base)}v{num(-high)}")
        x += step
    drawn += [path(passed, "tick-ok"), path(failed, "tick-bad"), path(unknown, "tick-end")]
    wrong = len(failed) + len(unknown)
    told = f"Error over tolerance by case: {wrong} of {len(cases)} cases fail. The table has their categories."
    return drawing(720, 168, told, drawn)


def device_groups(groups: Sequence[Sequence[int]]) -> Markup:
    """The devices of a collective in one row, those of a group in one colour and under one number."""
    place = {device: number for number, group in enumerate(groups) for device in group}
    if not place or max(place) >= MOST_DEVICES:
        return NOTHING
    drawn = []
    for device in range(max(place) + 1):
        group = place.get(device)
        css = "device none" if group is None else f"device g{group % 8}"
        drawn.append(rect(device * 30, 0, 27, 22, css))
        drawn.append(text(device * 30 + 13.5, 15, str(device), css="device-name", anchor="middle"))
    told = "; ".join(f"devices {', '.join(map(str, group))} together" for group in groups)
    return drawing(30 * (max(place) + 1), 22, told, drawn, css="devices")


def chips(held: Collection[int], count: int, css: str) -> Markup:
    """All `count` devices in one row, those that are `held` filled."""
    if not 0 < count <= MOST_DEVICES or not all(0 <= device < count for device in held):
        return NOTHING
    # A dashed line is a row of boxes: hundreds of submissions have thousands of these rows.
    every = path([f"M1 6h{13 * count}"], "chips")
    return ornament(13 * count, 12, [every, path((f"M{13 * device + 1} 6h10" for device in held), f"chip {css}")])


def region(shape: Sequence[int], index: Sequence[tuple[int, int]], css: str) -> Markup:
    """A part of an array in its outline: the first axis that is split goes across, the next one down."""
    split = [
        (start / size, (stop - start) / size)
        for (start, stop), size in zip(index, shape, strict=False)
        if size and (start, stop) != (0, size)
    ]
    (left, wide), (top, high) = [*split, (0.0, 1.0), (0.0, 1.0)][:2]
    part = path([_box(120 * left, 12 * top, max(120 * wide, 1), max(12 * high, 1))], css)
    return ornament(120, 12, [path([_box(0, 0, 120, 12)], "device none"), part] if split else [part])


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M{num(x)} {num(y)}h{num(width)}v{num(height)}h{num(-width)}z"


def matrix(ids: Sequence[str], rows: Iterable[tuple[str, Collection[str]]], groups: Mapping[str, str]) -> Markup:
    """Submissions by cases: a cell is filled where the case catches the submission."""
    rows = list(rows)
    left, step, high = 120.0, min(6.0, 510 / max(len(ids), 1)), 13.0
    columns, x, group, free = {}, left, "", 0.0
    drawn: list[Markup] = []
    for one in ids:
        if groups.get(one, "") != group:
            group = groups.get(one, "")
            x = max(x + GAP, free) if free else x
            free = x + LABEL
            drawn.append(text(x, 10, group, css="dim"))
        columns[one] = x
        x += step
    for row, (name, failed) in enumerate(rows):
        y = 24 + row * high
        drawn.append(text(left - 8, y + 4, name, css="mono", anchor="end", most=15))
        drawn.append(line(left, y, x, y, "row"))
        drawn.append(path((f"M{num(columns[one])} {num(y)}h{num(step)}" for one in ids if one in failed), "cell"))
    told = "; ".join(f"{name} fails {len(failed)} of {len(ids)} cases" for name, failed in rows[:40])
    return drawing(x + 8, 24 + len(rows) * high, told, drawn)


def times(points: Sequence[tuple[str, float, str]]) -> Markup:
    """Seconds of wall clock a submission, a row a problem: (problem, seconds, kind)."""
    if not points:
        return NOTHING
    slugs = sorted({slug for slug, *_ in points})
    longest = max([1.0, *(seconds for _, seconds, _ in points)])
    high = 30.0
    drawn = []
    for row, slug in enumerate(slugs):
        y = 16 + row * high
        drawn += [text(132, y + 4, slug, css="mono", anchor="end", most=18), line(144, y, 704, y, "rule")]
        drawn += [circle(144 + 556 * s / longest, y, 4.5, f"dot k-{kind}") for one, s, kind in points if one == slug]
    bottom = 16 + len(slugs) * high
    for part in (0.0, 0.5, 1.0):
        drawn.append(text(144 + 556 * part, bottom + 4, f"{longest * part:.3g} s", css="dim", anchor="middle"))
    return drawing(740, bottom + 12, f"Seconds a submission, up to {longest:.3g}; the table has each.", drawn)
