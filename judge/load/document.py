"""A YAML file as plain values, each with the line that it stands on.

Built on the nodes of ruamel.yaml and not on its constructors: a node knows its line, and what is not plain data (an
anchor, a tag, a key that is no string) becomes a fault and never an object. Without aliases the values are no larger than
the text, so a small file cannot expand into a large one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from judge.errors import Fault

MAX_BYTES = 1 << 20
MAX_DEPTH = 32

#: Where a value stands: keys of mappings and indices of lists, from the top.
KeyPath = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_ANCHORED = "an anchor, an alias or a merge key"
_WRITE_OUT = "write the values out where they are needed"


def spell(path: KeyPath) -> str:
    """A key path as a reader writes it: `cases[0].inputs.x`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or "the file"


@dataclass(frozen=True, slots=True)
class Document:
    """A read file: `data` in dicts, lists, strings, numbers, bools and None; `lines` by key path, counted from 1."""

    file: Path
    data: Any
    lines: Mapping[KeyPath, int]

    def fault(self, path: KeyPath, message: str, remedy: str) -> Fault:
        """A fault at `path`, on the line of the nearest thing around it that the file has."""
        while path and path not in self.lines:
            path = path[:-1]
        return Fault(self.file, self.lines.get(path, 1), message, remedy)


def read_text(file: Path) -> tuple[str | None, Fault | None]:
    """The text of a UTF-8 file, or why there is none."""
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return None, Fault(file, None, "the file is missing", f"add {file.name} to {file.parent.name}/")
    except OSError as error:
        return None, Fault(file, None, f"it cannot be read ({error.strerror})", "make it a readable file")
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return None, Fault(file, line, f"byte {raw[error.start]:#04x} is not UTF-8", "save the file as UTF-8")


def read_document(file: Path) -> tuple[Document | None, list[Fault]]:
    """The values of a YAML file and every fault found while reading it; no document where there is no mapping."""
    text, fault = read_text(file)
    if text is None:
        assert fault is not None, "text or a fault"
        return None, [fault]
    return parse_document(file, text)


def parse_document(file: Path, text: str) -> tuple[Document | None, list[Fault]]:
    """As `read_document`, of text that was read from `file`."""
    if len(text) > MAX_BYTES:
        return None, [
            Fault(file, None, f"{len(text)} characters; {MAX_BYTES} are allowed", "give large cases by a rule")
        ]
    node, fault = _compose(file, text)
    if fault is not None:
        return None, [fault]
    if not isinstance(node, MappingNode):
        found = "nothing" if node is None else "a list" if isinstance(node, SequenceNode) else "a single value"
        return None, [Fault(file, 1, f"the file holds {found} where keys belong", "start it with `title: ...`")]
    reader = _Reader(file)
    data = reader.value(node, (), 0)
    return Document(file, data, reader.lines), reader.faults


class _NoAliases(Composer):
    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.parser.peek_event()
        if getattr(event, "anchor", None) is not None:
            raise ComposerError(None, None, _ANCHORED, event.start_mark)
        return super().compose_node(parent, index)


def _compose(file: Path, text: str) -> tuple[Node | None, Fault | None]:
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _NoAliases
    try:
        return yaml.compose(text), None
    except MarkedYAMLError as error:
        return None, _syntax_fault(file, text, error)
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return None, Fault(file, line, f"character {error.character!r} may not stand in YAML", "remove it")
    except RecursionError:
        return None, Fault(file, None, "it is nested too deeply", f"nest at most {MAX_DEPTH} levels")
    except Exception as error:  # noqa: BLE001 - see the next line
        # The parser meets odd text with odd exceptions (a bad escape is a bare ValueError): all mean that it is no YAML.
        return None, Fault(file, None, f"it is not YAML ({type(error).__name__}: {error})", "correct the syntax")


def _syntax_fault(file: Path, text: str, error: MarkedYAMLError) -> Fault:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark is not None else None
    message = str(error.problem or error.context or "it is not YAML").strip()
    if message == _ANCHORED:
        return Fault(file, line, f"{_ANCHORED} is not allowed", _WRITE_OUT)
    lines = text.splitlines()
    around = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    if "\t" in around[: len(around) - len(around.lstrip())] or "\\t" in message:
        return Fault(file, line, "a tab stands where YAML wants spaces", "indent with spaces")
    return Fault(file, line, f"not YAML: {message}", "correct the syntax on this line or the one before")


class _Reader:
    """Nodes to values. Goes on after a fault, so that one reading finds all of them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lines: dict[KeyPath, int] = {}
        self.faults: list[Fault] = []

    def value(self, node: Node, path: KeyPath, depth: int) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if depth > MAX_DEPTH:
            self._fault(node, f"{spell(path[:3])} is nested too deeply", f"nest at most {MAX_DEPTH} levels")
            return None
        if isinstance(node, MappingNode):
            return self._mapping(node, path, depth)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*path, index), depth + 1) for index, item in enumerate(node.value)]
        assert isinstance(node, ScalarNode), "YAML has three kinds of node"
        return self._scalar(node, path)

    def _mapping(self, node: MappingNode, path: KeyPath, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            here = (*path, key)
            if key in found:
                first = self.lines[here]
                self._fault(key_node, f"{spell(here)} is given twice, first on line {first}", "keep one of the two")
                continue
            self.lines[here] = key_node.start_mark.line + 1
            found[key] = self.value(value_node, here, depth + 1)
        return found

    def _key(self, node: Node, path: KeyPath) -> str | None:
        if isinstance(node, ScalarNode) and _tag(node) == "merge":
            self._fault(node, f"{_ANCHORED} is not allowed", _WRITE_OUT)
            return None
        if not isinstance(node, ScalarNode) or _tag(node) != "str" or not _is_text(node.value):
            shown = node.value if isinstance(node, ScalarNode) else "a list or mapping"
            self._fault(node, f"the key {shown!r} in {spell(path)} is not a name", "use letters, or put it in quotes")
            return None
        return str(node.value)

    def _scalar(self, node: ScalarNode, path: KeyPath) -> Any:
        text, tag = str(node.value), _tag(node)
        if not _is_text(text):
            self._fault(node, f"{spell(path)} holds half of a surrogate pair", "write the character itself")
            return ""
        match tag:
            case "str" | "timestamp":
                return text
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int" if re.fullmatch(r"[-+]?[0-9]{1,30}", text):
                return int(text)
            case "float":
                return _float(text)
            case "int":
                self._fault(node, f"{spell(path)} is {text[:40]!r}", "write it in plain decimal digits")
            case _:
                self._fault(node, f"{spell(path)} has the tag {node.tag!r}", "remove the tag")
        return None

    def _fault(self, node: Node, message: str, remedy: str) -> None:
        self.faults.append(Fault(self.file, node.start_mark.line + 1, message, remedy))


def _tag(node: Node) -> str:
    return str(node.tag).removeprefix(_TAG)


def _is_text(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _float(text: str) -> float:
    # The resolver's pattern is Python's, but for `.inf`, `.nan` and their signs.
    try:
        return float(re.sub(r"^([-+]?)\.(inf|nan)$", r"\1\2", text.lower()))
    except ValueError:
        return float("nan")
