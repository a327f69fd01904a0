"""`keys`: the dict has exactly the keys that the problem names."""

from __future__ import annotations

import difflib

from judge.model.case import Case
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict


def keys(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    missing = [key for key in spec.outputs if key not in answer.outputs]
    extra = [key for key in answer.outputs if key not in spec.outputs]
    if not missing and not extra:
        return []
    parts = []
    for key in missing:
        near = difflib.get_close_matches(key.lower(), [name.lower() for name in extra], n=1, cutoff=0.5)
        twin = next((name for name in extra if near and name.lower() == near[0]), None)
        parts.append(f"`{key}` is missing" + (f" (there is `{twin}`)" if twin else ""))
    if extra:
        parts.append(f"{', '.join(f'`{key}`' for key in extra)} should not be there")
    sentence = f"The dict has the wrong keys: {'; '.join(parts)}."
    return [Finding(Verdict.WRONG_KEYS, "keys", source, case.id, (missing or extra)[0], sentence, sentence)]
