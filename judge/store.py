"""Results on disk, written as each submission ends.

    <out>/results.json             everything, for the grader
    <out>/.judge/seed              the course's seed, readable by its owner alone
    <out>/.judge/banks/            case banks, by key
    <out>/.judge/written           a digest of what the reports there were made from
    <out>/.judge/records/          one record a student and problem, each written whole or not at all

A record carries the key of what it was made from. The same key means that grading again would give the same record.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import judge
from judge.errors import JudgeFault, UsageError
from judge.model.record import Counterexample, Credit, GroupScore, Part, Record, Sharding
from judge.model.verdict import Verdict

FORMAT = 1
#: Private parts of JAX, message texts and costs change between minor versions: each is measured before it is let in.
JAX = "0.10."
#: How the line of `results.json` begins that says where it was made; see `judge.reports.files.results_file`.
ENVIRONMENT = b'"environment": '
LIBRARIES = ("jax", "jaxlib", "numpy", "hypothesis")


class Store:
    """The folder of one course's results. Any failure to write is a `JudgeFault`: what was written before stands.

    Args:
        out: the folder.
        base: another one, whose seed, banks and records are used where `out` has none; nothing is written there.
        seed_file: where the seed is kept instead.
    """

    def __init__(self, out: Path, *, base: Path | None = None, seed_file: Path | None = None) -> None:
        self.out = out
        self._private = out / ".judge"
        self._read = [self._private] if base is None else [self._private, base / ".judge"]
        seed = seed_file or self._private / "seed"
        # With a base nothing but `out` is written: the seed of a course is not drawn for a trial.
        self._seed = seed if base is None else self._private / "seed"
        self._seeds = [self._seed, seed, *(folder / "seed" for folder in self._read)]

    def open(self) -> None:
        """Make the folders, and clear away what a killed run left half written.

        Raises:
            UsageError: the place is taken by something else.
            JudgeFault: it cannot be written to.
        """
        if self.out.exists() and not self.out.is_dir():
            raise UsageError(f"{self.out} is not a folder; name another one with --out")
        try:
            for folder in ("records", "banks"):
                (self._private / folder).mkdir(parents=True, exist_ok=True)
            self._private.chmod(0o700)
            # Half written when a run was killed. One run writes into a folder at a time.
            for part in (
                *self.out.glob(".*.part"),
                *self.out.glob("feedback/*/.*.part"),
                *self._private.rglob(".*.part"),
            ):
                part.unlink(missing_ok=True)
        except OSError as error:
            raise self._cannot_write(self.out, error) from error

    def seed(self, given: int | None) -> int:
        """The seed of the course: the one given, else the one kept, else one drawn from the system. Kept from now on."""
        place = next((one for one in self._seeds if one.exists()), None) if given is None else None
        if place is not None:
            try:
                given = int(place.read_text())
                if given < 0:
                    raise ValueError("it is negative")
            except (OSError, ValueError) as error:
                raise UsageError(f"{place} holds no seed ({error}); give it with --seed, or delete the file") from error
        seed = secrets.randbits(63) if given is None else given
        if place != self._seed:
            self.write(self._seed, f"{seed}\n".encode())
        return seed

    def bank_files(self, slug: str, key: str) -> list[Path]:
        """Where a bank may be kept; the first is where it goes."""
        return [folder / "banks" / f"{slug}-{key[:24]}.bank" for folder in self._read]

    def kept(self, student: str, problem: str, key: str | None = None) -> Record | None:
        """The record of an earlier run, of that key or of any; None where there is none that can be read."""
        for folder in self._read:
            try:
                record = from_json(json.loads((folder / _record_name(student, problem)).read_bytes()))
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                continue
            if key is None or record.key == key:
                return record
        return None

    def keep(self, record: Record) -> None:
        content = json.dumps(to_json(record), ensure_ascii=True, allow_nan=False).encode()
        self.write(self._private / _record_name(record.student, record.problem), content)

    def written(self) -> str:
        """What `set_written` was told after the last run; "" where that did not end."""
        try:
            return (self._private / "written").read_text()
        except (OSError, UnicodeDecodeError):
            return ""

    def set_written(self, stamp: str) -> None:
        """Note that every report is there, and what it was made from."""
        self.write(self._private / "written", stamp.encode())

    def write(self, place: Path, content: bytes) -> None:
        """Write a file whole or not at all, readable by its owner alone."""
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=place.parent, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                Path(name).replace(place)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise self._cannot_write(place, error) from error

    @staticmethod
    def _cannot_write(place: Path, error: OSError) -> JudgeFault:
        remedy = "make it writable" if isinstance(error, PermissionError) else "free some space"
        return JudgeFault(
            f"{place} cannot be written ({error.strerror}); {remedy} or choose another --out, "
            "then run the same command again: what was finished is kept"
        )


def _record_name(student: str, problem: str) -> str:
    name = hashlib.sha256(f"{student}\0{problem}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"records/{name[:40]}.json"


@cache
def versions() -> dict[str, str]:
    """What decides how a submission is judged beside its problem: libraries, and the judge by its own sources."""
    found = {name: metadata.version(name) for name in LIBRARIES}
    digest = hashlib.sha256()
    root = Path(judge.__file__).parent
    for file in sorted(root.rglob("*.py")):
        digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return {**found, "judge": f"{judge.__version__}+{digest.hexdigest()[:12]}"}


def require_libraries() -> None:
    """Refuse to grade with a JAX that the judge was not measured with.

    Raises:
        UsageError: with the command that installs one.
    """
    remedy = f"{sys.executable} -m pip install 'jax=={JAX}*' 'jaxlib=={JAX}*'"
    for name in ("jax", "jaxlib"):
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise UsageError(f"{name} is not installed; run: {remedy}") from None
        if not found.startswith(JAX):
            raise UsageError(f"{name} is {found}, and the judge needs {JAX}*; run: {remedy}")


def key(*parts: str) -> str:
    """A cache key over `parts` and `versions()`."""
    content = json.dumps([*parts, versions()], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def results(
    seed: int | None,
    environment: Mapping[str, Any],
    records: Iterable[Record],
    *,
    course: Mapping[str, Any] | None = None,
    notes: Iterable[str] = (),
) -> dict[str, Any]:
    """The content of `results.json`, in the order of student and problem; `notes` are about what is no submission."""
    ordered = sorted(records, key=lambda record: (record.student, record.problem))
    return {
        "version": FORMAT,
        "seed": seed,
        "environment": dict(environment),
        "course": dict(course or {}),
        "notes": list(notes),
        "results": [to_json(record) for record in ordered],
    }


def read_results(folder: Path) -> tuple[dict[str, Any], list[Record]]:
    """The content of `results.json` in that folder, and its records.

    Raises:
        UsageError: there is none, or it is not what `results` makes.
    """
    place = folder / "results.json"
    try:
        content = json.loads(place.read_bytes())
        if content["version"] != FORMAT:
            raise ValueError(f"version {content['version']!r} is not {FORMAT}")
        return content, [from_json(one) for one in content["results"]]
    except OSError as error:
        raise UsageError(
            f"{place} cannot be read ({error.strerror}); name the folder that judge grade wrote with --out"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{place} is no results file ({error}); grade again with judge grade") from error


def read_environment(folder: Path) -> dict[str, Any]:
    """The environment in the `results.json` of that folder, without reading its records.

    Raises:
        UsageError: there is none.
    """
    place = folder / "results.json"
    try:
        with place.open("rb") as file:
            # It stands on a line of its own, before the records.
            found = next((line for line in file if line.startswith(ENVIRONMENT)), b"")
        environment = json.loads(found.removeprefix(ENVIRONMENT).rstrip(b",\n") or "{}")
        return environment if isinstance(environment, dict) else {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{place} cannot be read ({error}); grade again with judge grade") from error


def to_json(record: Record) -> dict[str, Any]:
    """Values of every field that `json` writes as they are."""
    plain = {name: _plain(getattr(record, name)) for name in Record.__slots__}
    plain["verdict"] = record.verdict.value
    plain["groups"] = [_fields(group) for group in record.groups]
    for name in ("counterexample", "credit"):
        part = getattr(record, name)
        plain[name] = None if part is None else _fields(part)
    plain["shards"] = [_fields(one) | {"parts": [_fields(part) for part in one.parts]} for one in record.shards]
    return plain


def _fields(part: GroupScore | Counterexample | Credit | Sharding | Part) -> dict[str, Any]:
    return {name: _plain(getattr(part, name)) for name in type(part).__slots__}


def _plain(value: Any) -> Any:
    # Lists and dicts were read from JSON or are about to be: going through them would take longer than writing them.
    return dict(value) if isinstance(value, Mapping) else value


def from_json(plain: Mapping[str, Any]) -> Record:
    """The record that `to_json` made; raises KeyError, TypeError or ValueError for anything else."""
    values = dict(plain)
    values["verdict"] = Verdict(values["verdict"])
    values["groups"] = tuple(GroupScore(**group) for group in values["groups"])
    if values["counterexample"] is not None:
        values["counterexample"] = Counterexample(**values["counterexample"])
    if values.get("credit") is not None:
        values["credit"] = Credit(**{**values["credit"], "why": tuple(values["credit"]["why"])})
    for name in ("notes", "collectives", "cases"):
        values[name] = tuple(values[name])
    # Results of earlier versions have none.
    values["shards"] = tuple(_sharding(one) for one in values.get("shards", ()))
    return Record(**values)


def _sharding(plain: Mapping[str, Any]) -> Sharding:
    parts = tuple(
        Part(tuple(part["devices"]), tuple((start, stop) for start, stop in part["index"]), part["values"])
        for part in plain["parts"]
    )
    return Sharding(plain["case"], plain["output"], tuple(plain["shape"]), plain["devices"], parts)
