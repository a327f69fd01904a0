"""The verdicts, and which of several comes first."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """What a submission gets. The values are the spelling in every file; the order of definition is the priority."""

    LOAD_ERROR = "load_error"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    DEADLOCK = "deadlock"
    EXITED = "exited"
    WRONG_TYPE = "wrong_type"
    WRONG_KEYS = "wrong_keys"
    WRONG_SHAPE = "wrong_shape"
    WRONG_DTYPE = "wrong_dtype"
    WRONG_PLACEMENT = "wrong_placement"
    REPLICAS_DIFFER = "replicas_differ"
    NOT_REPRODUCIBLE = "not_reproducible"
    WRONG_ANSWER = "wrong_answer"
    WRONG_STRUCTURE = "wrong_structure"
    ACCEPTED = "accepted"
    UNGRADED = "ungraded"


#: Ways for a run to end early. Among these the one recorded first counts, whatever its place in the enumeration.
ENDS = frozenset(
    {
        Verdict.RUNTIME_ERROR,
        Verdict.TIME_LIMIT,
        Verdict.MEMORY_LIMIT,
        Verdict.OUTPUT_LIMIT,
        Verdict.DEADLOCK,
        Verdict.EXITED,
    }
)
