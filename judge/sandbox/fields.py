"""Fields of a header that a child sent, each checked for type and bounds before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_ENTRIES = 4000
NAME_CHARS = 300


class Malformed(Exception):
    """An answer that is not what the protocol says. The child that sent it is not to be asked again."""


def one_of(value: object, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise Malformed(f"a word other than {', '.join(allowed)}")
    return value


def mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"{what} that is no object")
    return value


def items(value: object, what: str, most: int = MAX_ENTRIES) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise Malformed(f"{what} that is no list of at most {most}")
    return value


def pair(value: object) -> list[Any]:
    pair = items(value, "a span", 2)
    if len(pair) != 2:
        raise Malformed("a span that has no start and stop")
    return pair


def integer(value: object, what: str, most: int, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= most:
        raise Malformed(f"{what} that is no number from {least} to {most}")
    return value


def text(value: object, what: str, most: int = NAME_CHARS) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{what} that is no text")
    # JSON can spell half of a surrogate pair, which no report could be encoded with.
    return value[:most].encode("utf-8", "replace").decode()
