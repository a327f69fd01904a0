"""`placement`: which device holds which part of each output.

`is_fully_replicated` alone proves nothing: an array on one device has it too. So the devices are counted, and each
shard's index is compared with the whole.
"""

from __future__ import annotations

from judge.model.case import Case
from judge.model.outcome import Answer, OutputArray
from judge.model.problem import Spec, Split
from judge.model.record import Finding
from judge.model.verdict import Verdict


def placement(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    findings = []
    for key, output in spec.outputs.items():
        actual = answer.outputs[key]
        match output.placement:
            case "any":
                sentence = ""
            case "replicated":
                sentence = _not_replicated(key, actual, spec.devices)
            case Split(split=axis):
                sentence = _not_split(key, actual, axis, spec.devices)
        if sentence:
            findings.append(Finding(Verdict.WRONG_PLACEMENT, "placement", source, case.id, key, sentence, sentence))
    return findings


def _not_replicated(key: str, actual: OutputArray, devices: int) -> str:
    held = sorted({shard.device for shard in actual.shards})
    whole = tuple((0, size) for size in actual.shape)
    if held != list(range(devices)):
        return f"`{key}` is on {_devices(held)}; it must be replicated on all {devices} devices."
    if any(shard.index != whole for shard in actual.shards):
        return f"`{key}` is split over the devices; it must be replicated: each of the {devices} holds all of it."
    return ""


def _not_split(key: str, actual: OutputArray, axis: int, devices: int) -> str:
    held = sorted(shard.device for shard in actual.shards)
    if held != list(range(devices)):
        return f"`{key}` is on {_devices(sorted(set(held)))}; axis {axis} must be split over all {devices} devices."
    block, rest = divmod(actual.shape[axis], devices)
    assert rest == 0, "a problem only splits what its devices divide"
    for shard in actual.shards:
        for place, ((start, stop), size) in enumerate(zip(shard.index, actual.shape, strict=True)):
            wanted = (shard.device * block, (shard.device + 1) * block) if place == axis else (0, size)
            if (start, stop) != wanted:
                return (
                    f"device {shard.device} holds {start}:{stop} of axis {place} of `{key}`; "
                    f"it must hold {wanted[0]}:{wanted[1]}."
                )
    return ""


def _devices(held: list[int]) -> str:
    if held == [-1] or not held:
        return "no device"
    if len(held) == 1:
        return f"device {held[0]} alone"
    return f"{len(held)} devices ({', '.join(map(str, held))})"
