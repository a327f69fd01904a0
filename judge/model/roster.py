"""Who is in a course."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Roster:
    """The students of a course, as a list of theirs has them.

    Attributes:
        file: the list.
        students: full names by id, in the order of the list; "" where it has none.
        aliases: ids by every other name that downloads may give to a student, in the spelling of `plain`.
    """

    file: Path
    students: Mapping[str, str]
    aliases: Mapping[str, str]

    def find(self, *names: str) -> str | None:
        """The id that one of `names` stands for, the first that is known; None where none is."""
        for name in names:
            found = name if name in self.students else self.aliases.get(plain(name))
            if found is not None:
                return found
        return None


def plain(name: str) -> str:
    """A name without what people write differently: case, and blanks at the ends and in a row."""
    return " ".join(name.casefold().split())
