"""`structure`: whether the program splits and reduces as the problem asks.

Read from the StableHLO of exported programs, these are facts. Read from the modules that a live run says it compiled, they
are claims: inputs have no names there, so only the existence of a split and of a reduction can be asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from judge.model.outcome import Collective, Facts
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict

REDUCTIONS = frozenset({"all_reduce", "reduce_scatter"})
HOW = {
    "manual": "shard_map or pmap",
    "auto": "automatic partitioning (a sharding on it)",
    "any": "a sharding or shard_map",
}


def structure(spec: Spec, facts: Sequence[Facts], source: str) -> list[Finding]:
    """Findings over all programs (`source` is `program`) or all modules of a live run (`live`); each sentence once."""
    if not facts:
        return [] if spec.structure.demands_nothing else [_finding(source, "", "no program to read it from.")]
    claimed = source == "live"
    sentences = _claimed(spec, facts) if claimed else [sentence for one in facts for sentence in _of_program(spec, one)]
    return [_finding(source, key, text) for key, text in dict.fromkeys(sentences)]


def _finding(source: str, key: str, sentence: str) -> Finding:
    return Finding(Verdict.WRONG_STRUCTURE, "structure", source, "", key, sentence, sentence)


def _of_program(spec: Spec, facts: Facts) -> list[tuple[str, str]]:
    found = _forbidden(spec, facts)
    if spec.structure.demands_nothing:
        return found
    if facts.devices != spec.devices and (spec.structure.split or spec.structure.reduce):
        found.append(("", f"the program runs on {facts.devices} of the {spec.devices} devices."))
        return found
    return found + _unsplit(spec, facts) + _unreduced(spec, facts)


def _forbidden(spec: Spec, facts: Facts) -> list[tuple[str, str]]:
    found = []
    if "manual_region" in spec.structure.forbid and facts.manual_regions:
        found.append(("", "the program has a manual region (shard_map or pmap); leave the partitioning to jit."))
    if "collective" in spec.structure.forbid and facts.collectives:
        one = facts.collectives[0]
        at = f" on line {one.line}" if one.line else ""
        found.append(("", f"the program has an explicit {one.op}{at}; leave the communication to jit."))
    return found


def _unsplit(spec: Spec, facts: Facts) -> list[tuple[str, str]]:
    rule = spec.structure.split
    if rule is None:
        return []
    found = []
    for name in rule.inputs:
        ways = {path.split for path in facts.paths if path.input == name}
        if rule.by in ways or (rule.by == "any" and ways - {"none"}):
            continue
        found.append((name, f"the rows of `{name}` are not split over the {spec.devices} devices by {HOW[rule.by]}."))
    return found


def _unreduced(spec: Spec, facts: Facts) -> list[tuple[str, str]]:
    rule = spec.structure.reduce
    if rule is None:
        return []
    found = []
    for output in rule.outputs:
        paths = [path for path in facts.paths if path.output == output and path.input in rule.inputs]
        missing = [name for name in rule.inputs if all(path.input != name for path in paths)]
        if missing:
            found.append((output, f"`{output}` does not depend on `{missing[0]}` in the program."))
        elif unsplit := [path for path in paths if path.split == "none"]:
            found.append((output, f"`{output}` is computed from `{unsplit[0].input}` without its rows being split."))
        elif any(not path.reduced for path in paths):
            found.append((output, f"`{output}` is not reduced across the devices{_instead(facts.collectives)}."))
    return found


def _instead(collectives: Sequence[Collective]) -> str:
    others = [one for one in collectives if one.op not in REDUCTIONS]
    if not others:
        return "; use psum or pmean inside the mapped function"
    at = f" on line {others[0].line}" if others[0].line else ""
    return f": the {others[0].op}{at} moves data without reducing it; use psum or pmean"


def _claimed(spec: Spec, modules: Sequence[Facts]) -> list[tuple[str, str]]:
    found = [item for facts in modules for item in _forbidden(spec, facts)]
    rule = spec.structure.split
    splits = [split for facts in modules for split in facts.splits if split.parts == spec.devices and split.axis == 0]
    if rule is not None and not any(rule.by in ("any", split.by) for split in splits):
        found.append(("", f"no compiled module splits rows over the {spec.devices} devices by {HOW[rule.by]}."))
    if spec.structure.reduce is not None:
        collectives = [one for facts in modules for one in facts.collectives]
        whole = {one.op for one in collectives if any(len(set(group)) == spec.devices for group in one.groups)}
        if not whole & REDUCTIONS:
            found.append(("", f"no compiled module reduces over all {spec.devices} devices{_instead(collectives)}."))
    return found
