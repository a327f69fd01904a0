"""Folders and archives -> files that may be submissions, each opened without following links and without blocking.

What a file is, is asked of the opened file and not of the name that it had a moment before. An archive is read entry by entry
in memory: nothing is unpacked, so no entry can land anywhere, and no more of one is decompressed than a submission may hold.
"""

from __future__ import annotations

import errno
import os
import stat
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from judge.load.notebooks import MAX_NOTEBOOK_BYTES, NotUsable

MAX_BYTES = 256 * 1024
SUFFIXES = frozenset({".py", ".ipynb"})
ARCHIVES = frozenset({".zip"})
#: What students pack and what Canvas and Moodle write for text typed into a form: named, since it may be someone's work.
UNREAD = frozenset({".zip", ".tar", ".gz", ".tgz", ".7z", ".rar", ".html"})
IGNORED = frozenset({"__pycache__", "node_modules", "__MACOSX"})
MAX_ENTRIES = 50_000
#: Of all entries of an archive together; a class of a thousand hands in less than a tenth of it.
MAX_ARCHIVE_BYTES = 512 << 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a submission.

    Attributes:
        file: its path; below an archive, the archive's path with the entry's.
        parts: of the path below what was given.
        modified_s: its time in seconds since 1970; None where that says nothing of when it was handed in.
        read: its bytes, one more than are allowed where there are too many. Raises NotUsable for what is no ordinary file and
            OSError where the machine will not read it.
    """

    file: Path
    parts: tuple[str, ...]
    modified_s: float | None
    read: Callable[[], bytes]


Note = Callable[[str], None]


def candidates(path: Path, note: Note) -> tuple[str, list[Candidate]]:
    """(the name of what was given, every candidate in it); `note` is told of what is none."""
    if path.is_dir() and not path.is_symlink():
        return path.resolve().name, _folder(path, note)
    if path.suffix.lower() in ARCHIVES:
        return path.stem, _archive(path, note)
    return path.resolve().parent.name, [Candidate(path, (path.name,), _modified(path), partial(_content, path))]


def _folder(root: Path, note: Note) -> list[Candidate]:
    found = list(_walk(root, (), note, checkout=(root / ".git").exists()))
    if not found:
        note(f"{root}: no .py or .ipynb file in this folder")
        return found
    filled = {one.parts[0] for one in found}
    for entry in sorted(root.iterdir()):
        ignored = entry.name in IGNORED or entry.name.startswith(".")
        if entry.name not in filled and not ignored and entry.is_dir() and not entry.is_symlink():
            note(f"{entry}: no .py or .ipynb file in this folder")
    return found


def _walk(folder: Path, inside: tuple[str, ...], note: Note, *, checkout: bool) -> Iterator[Candidate]:
    """Files that may be submissions, by name; links and special files included, since they are answered for."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        note(f"{folder}: cannot be read ({error.strerror}); its submissions are not graded")
        return
    # The files of a checkout are as old as the checkout.
    checkout = checkout or any(entry.name == ".git" for entry in entries)
    for entry in entries:
        if entry.name.startswith(".") or entry.name in IGNORED:
            continue
        path, parts, suffix = folder / entry.name, (*inside, entry.name), Path(entry.name).suffix.lower()
        if suffix in SUFFIXES:
            modified = None if checkout else _modified(path)
            yield Candidate(path, parts, modified, partial(_content, path))
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(path, parts, note, checkout=checkout)
        elif entry.is_symlink() and entry.is_dir():
            note(f"{path}: a link to a folder is not followed; name the folder itself")
        elif suffix in UNREAD:
            note(f"{path}: {_unread(suffix)}")


def _unread(suffix: str) -> str:
    what = "a page is" if suffix == ".html" else "an archive within a folder is"
    return f"{what} not read; hand in a .py or .ipynb file"


def _modified(path: Path) -> float | None:
    try:
        return path.lstat().st_mtime
    except OSError:
        return None


def _most(name: str) -> int:
    return MAX_NOTEBOOK_BYTES if name.lower().endswith(".ipynb") else MAX_BYTES


def _content(file: Path) -> bytes:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotUsable("the file is a link; hand in the file itself.") from None
        if error.errno == errno.ENXIO:
            raise NotUsable("the file is no ordinary file; hand in a Python file.") from None
        raise
    # Looked at first: `fdopen` refuses a folder, as though the machine could not read it.
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(kind) else "no ordinary file"
        raise NotUsable(f"the file is {what}; hand in a Python file.")
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read(_most(file.name) + 1)


def _archive(path: Path, note: Note) -> list[Candidate]:
    """The entries of a ZIP file, read at once: the file is closed before anything else happens."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                note(f"{path}: {len(entries)} entries; unpack it and name the folder, {MAX_ENTRIES} are read")
                return []
            found = list(_entries(path, archive, entries, note))
    except OSError as error:
        note(f"{path}: cannot be read ({error.strerror}); its submissions are not graded")
        return []
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        note(f"{path}: this is no ZIP file ({error}); its submissions are not graded")
        return []
    if not found:
        note(f"{path}: no .py or .ipynb file in this archive")
    return found


def _entries(
    path: Path, archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], note: Note
) -> Iterator[Candidate]:
    left = MAX_ARCHIVE_BYTES
    for entry in entries:
        name = PurePosixPath(entry.filename)
        suffix, parts = name.suffix.lower(), name.parts
        if entry.is_dir() or suffix not in SUFFIXES | UNREAD:
            continue
        if ".." in parts or name.is_absolute() or "\\" in entry.filename or ":" in parts[0]:
            note(f"{path}: the entry {entry.filename!r} points out of the archive and is not read")
        elif any(part in IGNORED or part.startswith(".") for part in parts):
            continue
        elif suffix in UNREAD:
            note(f"{path}/{entry.filename}: {_unread(suffix)}")
        else:
            content = _inflated(archive, entry) if left > 0 else OSError(errno.EFBIG, "the archive holds too much")
            left -= len(content) if isinstance(content, bytes) else 0
            yield Candidate(path / name, parts, _packed(entry), _returning(content))


def _inflated(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes | NotUsable | OSError:
    kind = entry.external_attr >> 16
    if stat.S_IFMT(kind) == stat.S_IFLNK:
        return NotUsable("the file is a link; hand in the file itself.")
    if entry.flag_bits & 0x1:
        return OSError(errno.EACCES, "the archive is locked with a password")
    try:
        with archive.open(entry) as opened:
            return opened.read(_most(entry.filename) + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        return OSError(errno.EIO, f"the archive is damaged: {error}")
    except OSError as error:
        return error


def _returning(content: bytes | NotUsable | OSError) -> Callable[[], bytes]:
    def read() -> bytes:
        if isinstance(content, bytes):
            return content
        raise content

    return read


def _packed(entry: zipfile.ZipInfo) -> float | None:
    """The time of an entry, which ZIP keeps as wall-clock time; None for the year 1980, which stands for none."""
    if entry.date_time[0] <= 1980:
        return None
    try:
        return time.mktime((*entry.date_time, 0, 0, -1))
    except (OverflowError, ValueError):
        return None
