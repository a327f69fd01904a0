"""A problem as `problem.yaml` spells it, checked.

`judge.load.problems` reads the file, gives every fault its line and adds what lies beside it. The models here hold the
rules that need one file only. Names are those of the YAML; a key that no model knows is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NewType

from pydantic import BaseModel, ConfigDict, Field

Slug = NewType("Slug", str)
#: A dim of a shape: a name from `dims`, the name of an `int` input (`steps`), or a fixed size.
Extent = int | str
DType = Literal["bool", "int32", "int64", "float32", "float64"]
Scalar = float | int | tuple[int, ...]


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Dim(Model):
    """Which sizes a named dim may have."""

    min: int = Field(1, ge=1)
    max: int = Field(4096, ge=1)
    multiple_of: int = Field(1, ge=1)
    doc: str = ""


class ArrayInput(Model):
    """An array argument: handed over as an uncommitted `jax.Array` on the default device.

    `at_least_one` is for bool masks: some element is True in every case.
    """

    type: Literal["array"] = "array"
    dtype: DType
    shape: tuple[Extent, ...]
    at_least_one: bool = False
    doc: str = ""


class FloatInput(Model):
    """A Python float; traced as a weakly typed scalar where the solution allows it."""

    type: Literal["float"]
    doc: str = ""


class IntInput(Model):
    """A Python int, at least `min`; static under export. Its name may stand in output shapes."""

    type: Literal["int"]
    min: int = 0
    doc: str = ""


class IntsInput(Model):
    """A tuple of Python ints, each at least `min`; static under export. `sum` names the dim that they add up to."""

    type: Literal["ints"]
    min: int = 0
    sum: str | None = None
    doc: str = ""


Input = ArrayInput | FloatInput | IntInput | IntsInput


class Split(Model):
    """Placement: axis `split` is divided over all devices in order, device r holding block r."""

    split: int = Field(ge=0)


class Output(Model):
    """One key of the returned dict.

    `dtype` lists every dtype that is right; `arrays` the kinds of array that are. `placement`: `replicated` (all devices
    of the problem hold the whole value), `any`, or `{split: axis}`.
    """

    dtype: tuple[DType, ...]
    shape: tuple[Extent, ...]
    placement: Literal["replicated", "any"] | Split = "any"
    arrays: tuple[Literal["jax", "numpy"], ...] = ("jax",)
    doc: str = ""


class SplitRule(Model):
    """Axis 0 of each of `inputs` is split over all devices: in a manual region (`shard_map`, `pmap`), by automatic
    partitioning, or by any of the two."""

    inputs: tuple[str, ...]
    by: Literal["manual", "auto", "any"] = "any"


class ReduceRule(Model):
    """Every path from `inputs` to `outputs` enters through a split operand and crosses a reduction over all devices."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Structure(Model):
    """What the exported program must be. `export: required` fails what cannot be traced."""

    split: SplitRule | None = None
    reduce: ReduceRule | None = None
    forbid: tuple[Literal["manual_region", "collective"], ...] = ()
    export: Literal["optional", "required"] = "optional"

    @property
    def demands_nothing(self) -> bool:
        return self.split is None and self.reduce is None and not self.forbid


class Tolerance(Model):
    """`atol + safety * unit` an element; the unit is `perturb` of `judge.tolerance`.

    `atol` follows the digits that the statement prints.
    """

    atol: float = Field(1e-6, ge=0)
    safety: float = Field(16.0, gt=0)
    draws: int = Field(24, ge=4, le=256)


class Limits(Model):
    """Seconds of CPU time a stage; wall time may be `wall_factor` times that. Memory and output count per child."""

    load_s: float = Field(20.0, gt=0)
    first_call_s: float = Field(20.0, gt=0)
    call_s: float = Field(10.0, gt=0)
    program_s: float = Field(30.0, gt=0)
    wall_factor: float = Field(3.0, ge=1)
    memory_mb: int = Field(2048, ge=256)
    output_kb: int = Field(256, ge=1)


class Points(Model):
    """Points a group. A group with nothing to check must have none."""

    examples: float = Field(20, ge=0)
    hidden: float = Field(30, ge=0)
    fuzzed: float = Field(30, ge=0)
    placement: float = Field(10, ge=0)
    structure: float = Field(10, ge=0)


class Unmasked(Model):
    """Rows whose mask is False hold `values` instead, drawn element by element."""

    mask: str
    values: tuple[float, ...] = Field(min_length=1)


class FloatRange(Model):
    """Elements between `min` and `max`, moved by `offset`."""

    min: float
    max: float
    offset: float = 0.0
    unmasked: Unmasked | None = None


class BoolRange(Model):
    """Elements True with the given share; the rows of `empty_shards` whole devices are False."""

    share: float = Field(ge=0, le=1)
    empty_shards: int = Field(0, ge=0)


class Stratum(Model):
    """One scale of data: a range for every array input. `weight` is its share of the fuzzed cases."""

    weight: int = Field(1, ge=1)
    ranges: dict[str, FloatRange | BoolRange]
    doc: str = ""


class Shape(Model):
    """One shape of the bank: sizes of all dims, and one or two values of each scalar argument."""

    dims: dict[str, int]
    values: dict[str, tuple[Scalar, ...]] = {}


class Fuzz(Model):
    """`cases` are drawn over the product of shapes (with their scalar values) and strata."""

    cases: int = Field(100, ge=1, le=10_000)
    shapes: tuple[Shape, ...] = Field(min_length=1)
    strata: dict[str, Stratum] = Field(min_length=1)


class Rule(Model):
    """A case given by a rule: arrays are uniform draws of `numpy.random.PCG64(seed)` in the stratum's ranges."""

    dims: dict[str, int]
    seed: int = Field(ge=0)
    stratum: str
    values: dict[str, Scalar] = {}


class PinnedCase(Model):
    """A case of the author's. `visible` ones are the examples; the others are hidden and tell their `category` only.

    `inputs` or `rule`, never both. `outputs` are the expected values to the digits printed; the oracle must agree. `within` is
    how far each element may be off, in a student's bundle that has no oracle to tell.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    visible: bool = False
    category: str = ""
    inputs: dict[str, Any] | None = None
    rule: Rule | None = None
    outputs: dict[str, Any]
    within: dict[str, Any] | None = None
    explanation: str = ""


class Relation(Model):
    """A metamorphic relation by name, with what it is about; see `judge/checks/relations/`."""

    name: Literal[
        "row_permutation", "batch_duplication", "zero_lr", "linear_in_lr", "every_shard_matters", "sum_of_masks"
    ]
    inputs: tuple[str, ...] = ()
    outputs: dict[str, str] = {}
    scalar: str | None = None
    mask: str | None = None


class Spec(Model):
    """The whole of `problem.yaml`.

    `oracle: private` keeps the oracle out of students' bundles. `bundle: student` marks what `judge bundle student` wrote: a
    problem without hidden cases, mistakes and solutions, which can be worked on and not graded with.
    """

    title: str
    summary: str
    devices: int = Field(ge=1, le=64, strict=True)
    entry: str = Field("solve", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    dims: dict[str, Dim]
    inputs: dict[str, Annotated[Input, Field(discriminator="type")]]
    outputs: dict[str, Output]
    structure: Structure = Structure()
    tolerance: Tolerance = Tolerance()
    limits: Limits = Limits()
    points: Points = Points()
    cases: tuple[PinnedCase, ...] = Field(min_length=1)
    fuzz: Fuzz
    relations: tuple[Relation, ...] = ()
    oracle: Literal["public", "private"] = "public"
    bundle: Literal["none", "student"] = "none"


class Problem(Model):
    """A loaded problem: its spec, and where its other files are.

    `digest` is a SHA-256 over every file that decides a verdict, part of each cache key.
    """

    slug: str
    folder: Path
    digest: str
    spec: Spec
    statement: str

    @property
    def examples_only(self) -> bool:
        """Whether nothing here knows an answer but those of the examples: a student's bundle, its oracle private."""
        return self.spec.bundle == "student" and self.spec.oracle == "private"

    @property
    def oracle_file(self) -> Path:
        return self.folder / "oracle.py"

    @property
    def mistakes_file(self) -> Path:
        return self.folder / "mistakes.py"

    @property
    def starter_file(self) -> Path:
        return self.folder / "starter.py"
