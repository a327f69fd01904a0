"""A file with the inputs of one case, as a person writes it: one JSON object, each input by its name.

Every input is an array, as nested lists, or a number.
"""

from __future__ import annotations

import json
from pathlib import Path

from judge.errors import UsageError
from judge.load.values import parse_inputs
from judge.model.case import Value
from judge.model.problem import Spec

#: Bytes of a file of inputs; the largest case of a problem has some thousand numbers.
MAX_BYTES = 8 << 20


def read_inputs(spec: Spec, file: Path) -> dict[str, Value]:
    """The inputs in `file`, in call order; arrays in the dtype of the problem, which nobody writes to.

    Raises:
        UsageError: with every input that does not fit: the file, the key, what is wrong, what to do.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(f"{file}: it is larger than {MAX_BYTES >> 20} MiB; write the inputs of one case")
        given = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}; name a JSON file") from error
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"{file}{line}: it is not JSON ({error}); write one object with the inputs by name") from None
    if not isinstance(given, dict):
        raise UsageError(f"{file}: it holds no object; write one with the inputs by name")
    inputs, unfit = parse_inputs(spec, given)
    if unfit:
        raise UsageError("\n".join(f"{file}: {one.message}; {one.remedy}" for one in unfit))
    return inputs
