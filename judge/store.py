"""Results on disk, written as each submission ends.

    <out>/results.json             everything, for the grader
    <out>/.judge/seed              the course's seed, readable by its owner alone
    <out>/.judge/banks/            case banks, by key
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
from judge.model.record import Counterexample, GroupScore, Part, Record, Sharding
from judge.model.verdict import Verdict

FORMAT = 1
#: Private parts of JAX, message texts and costs change between minor versions: each is measured before it is let in.
JAX = "0.10."
LIBRARIES = ("jax", "jaxlib", "numpy", "hypothesis")


class Store:
    """The folder of one course's results. Any failure to write is a `JudgeFault`: what was written before stands."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._private = out / ".judge"

    def open(self) -> None:
        """Make the folders.

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
        except OSError as error:
            raise self._cannot_write(self.out, error) from error

    def seed(self, given: int | None) -> int:
        """The seed of the course: the one given, else the one kept, else one drawn from the system. Kept from now on."""
        place = self._private / "seed"
        if given is None and place.exists():
            try:
                kept = int(place.read_text())
                if kept < 0:
                    raise ValueError("it is negative")
                return kept
            except (OSError, ValueError) as error:
                raise UsageError(f"{place} holds no seed ({error}); give it with --seed, or delete the file") from error
        seed = secrets.randbits(63) if given is None else given
        self.write(place, f"{seed}\n".encode())
        return seed

    def bank_file(self, slug: str, key: str) -> Path:
        return self._private / "banks" / f"{slug}-{key[:24]}.bank"

    def kept(self, student: str, problem: str) -> Record | None:
        """The record of an earlier run, whatever its key; None where there is none that can be read."""
        try:
            return from_json(json.loads(self._record_file(student, problem).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def keep(self, record: Record) -> None:
        content = json.dumps(to_json(record), ensure_ascii=True, allow_nan=False).encode()
        self.write(self._record_file(record.student, record.problem), content)

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

    def _record_file(self, student: str, problem: str) -> Path:
        name = hashlib.sha256(f"{student}\0{problem}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._private / "records" / f"{name[:40]}.json"

    @staticmethod
    def _cannot_write(place: Path, error: OSError) -> JudgeFault:
        remedy = "make it writable" if isinstance(error, PermissionError) else "free some space"
        return JudgeFault(
            f"{place} cannot be written ({error.strerror}); {remedy} or choose another --out, "
            "then run the same command again: what was finished is kept"
        )


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


def results(seed: int | None, environment: Mapping[str, Any], records: Iterable[Record]) -> dict[str, Any]:
    """The content of `results.json`, in the order of student and problem."""
    ordered = sorted(records, key=lambda record: (record.student, record.problem))
    return {
        "version": FORMAT,
        "seed": seed,
        "environment": dict(environment),
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


def to_json(record: Record) -> dict[str, Any]:
    """Plain values of every field."""
    plain: dict[str, Any] = {name: getattr(record, name) for name in Record.__slots__}
    plain["verdict"] = record.verdict.value
    return {name: _plain(value) for name, value in plain.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, GroupScore | Counterexample | Sharding | Part):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    return value


def from_json(plain: Mapping[str, Any]) -> Record:
    """The record that `to_json` made; raises KeyError, TypeError or ValueError for anything else."""
    values = dict(plain)
    values["verdict"] = Verdict(values["verdict"])
    values["groups"] = tuple(GroupScore(**group) for group in values["groups"])
    if values["counterexample"] is not None:
        values["counterexample"] = Counterexample(**values["counterexample"])
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
