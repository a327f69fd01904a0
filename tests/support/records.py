"""Records made by hand, and records of any content."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from judge.model.record import Counterexample, Credit, GroupScore, Part, Record, Sharding
from judge.model.verdict import Verdict

COUNTEREXAMPLE = Counterexample("fuzz-1", {"x": [[1.0, 2.0]], "lr": 0.5}, {"w": [1.0]}, {"w": [8.0]})
ACCEPTED = Record(
    student="ada",
    problem="row-means",
    file="submissions/ada/row-means.py",
    sha256="ab" * 32,
    verdict=Verdict.ACCEPTED,
    score=100.0,
    max_score=100.0,
    evidence="program",
    structure_evidence="program",
    reason="Everything is right.",
    mistake=None,
    hint=None,
    counterexample=None,
    groups=(GroupScore("examples", 2, 2, 20.0, 20.0), GroupScore("hidden", 3, 3, 80.0, 80.0)),
    seconds={"live": 1.25},
    usage={"cpu_s": 2.0, "wall_s": 1.5, "peak_mb": 300.0},
    collectives=({"op": "all_reduce", "groups": [[0, 1]], "line": 14},),
    cases=({"id": "hidden-secret", "group": "hidden", "category": "c", "passed": True, "error": None},),
    key="k",
)
WRONG = replace(
    ACCEPTED,
    student="bob",
    file="submissions/bob/row-means.py",
    verdict=Verdict.WRONG_ANSWER,
    score=12.5,
    reason="On example 1, `w` is 8 at [0], expected 1. Use pmean.",
    mistake="summed",
    hint="Use pmean.",
    counterexample=COUNTEREXAMPLE,
    groups=(GroupScore("examples", 1, 2, 10.0, 20.0), GroupScore("hidden", 0, 3, 0.0, 80.0)),
    stdout="hello\n",
    notes=("2 files; the newest counts",),
)
UNGRADED = replace(
    ACCEPTED,
    student="cy",
    verdict=Verdict.UNGRADED,
    score=None,
    evidence=None,
    structure_evidence=None,
    reason="The file cannot be read.",
    groups=(),
    collectives=(),
    cases=(),
    usage={},
    seconds={},
)

#: Text with everything that a file system or a student can put into it, lone surrogates included.
texts = st.text(st.characters(exclude_categories=()), max_size=30)
numbers = st.floats(allow_nan=False, allow_infinity=False)
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts, lambda inner: st.lists(inner, max_size=3), max_leaves=6
)
named = st.dictionaries(texts, plain, max_size=3)
groups = st.builds(
    GroupScore,
    st.sampled_from(["examples", "hidden", "structure"]),
    st.integers(0, 9),
    st.integers(0, 9),
    numbers,
    numbers,
)
spans = st.tuples(st.integers(0, 9), st.integers(0, 9))
parts = st.builds(
    Part, st.lists(st.integers(0, 99), max_size=3).map(tuple), st.lists(spans, max_size=3).map(tuple), plain
)
shardings = st.builds(
    Sharding,
    texts,
    texts,
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    st.integers(0, 99),
    st.lists(parts, max_size=3).map(tuple),
)
credits_ = st.builds(
    Credit, st.none() | numbers, numbers, texts, numbers, st.booleans(), st.lists(texts, max_size=2).map(tuple)
)
records = st.builds(
    Record,
    student=texts,
    problem=st.sampled_from(["row-means", "jit-step"]),
    file=texts,
    sha256=texts,
    verdict=st.sampled_from(Verdict),
    score=st.none() | numbers,
    max_score=numbers,
    evidence=st.sampled_from(["program", "live", None]),
    structure_evidence=st.none() | texts,
    reason=texts,
    mistake=st.none() | texts,
    hint=st.none() | texts,
    counterexample=st.none() | st.builds(Counterexample, texts, named, named, named),
    groups=st.lists(groups, max_size=3).map(tuple),
    seconds=st.dictionaries(texts, numbers, max_size=3),
    usage=st.dictionaries(texts, numbers, max_size=3),
    notes=st.lists(texts, max_size=3).map(tuple),
    stdout=texts,
    collectives=st.lists(named, max_size=2).map(tuple),
    cases=st.lists(named, max_size=2).map(tuple),
    key=texts,
    shards=st.lists(shardings, max_size=2).map(tuple),
    credit=st.none() | credits_,
)
