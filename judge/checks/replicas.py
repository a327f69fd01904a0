"""`replicas`: devices that hold the same part of an output hold the same bits.

`out_specs=P()` with `check_vma=False` only claims it, and reading an array shows device 0 alone.
"""

from __future__ import annotations

import numpy as np

from judge.checks.arrays import place, spelled
from judge.model.case import Case
from judge.model.outcome import Answer, OutputArray, Shard
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict


def replicas(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    findings = []
    for key in spec.outputs:
        pair = _unequal(answer.outputs[key])
        if pair is None:
            continue
        first, other = pair
        assert first.data is not None and other.data is not None, "unequal shards have data"
        index = tuple(int(i) for i in np.argwhere(_bits(first) != _bits(other))[0][:-1])
        remedy = "reduce over the devices (psum or pmean) before you return it"
        sentence = (
            f"the copies of `{key}` differ{place(index)}: device {first.device} holds {spelled(first.data[index])}, "
            f"device {other.device} holds {spelled(other.data[index])}; {remedy}."
        )
        discreet = f"the copies of `{key}` on devices {first.device} and {other.device} differ{place(index)}; {remedy}."
        findings.append(Finding(Verdict.REPLICAS_DIFFER, "replicas", source, case.id, key, sentence, discreet))
    return findings


def _unequal(actual: OutputArray) -> tuple[Shard, Shard] | None:
    seen: dict[tuple[tuple[int, int], ...], Shard] = {}
    for shard in actual.shards:
        first = seen.setdefault(shard.index, shard)
        if first is shard or first.data is None or shard.data is None:
            continue
        if first.data.tobytes() != shard.data.tobytes():
            return first, shard
    return None


def _bits(shard: Shard) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    assert shard.data is not None
    # `ascontiguousarray` gives a scalar an axis, hence the shape of what was given.
    return np.ascontiguousarray(shard.data).reshape((*shard.data.shape, 1)).view(np.uint8)
