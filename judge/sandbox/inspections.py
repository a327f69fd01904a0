"""One run of a submission on one input, looked at step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judge.model.case import Value
from judge.model.outcome import Answer, Raised
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.model.trace import Inspected, Trace
from judge.runner.wire import Message
from judge.sandbox import replies, requests
from judge.sandbox import trace as traces
from judge.sandbox.fields import mapping
from judge.sandbox.runs import Opener, child_of, load_into, reading
from judge.sandbox.session import ChildEnded

NOTHING = Trace((), (), 0)


def run_inspections(
    session: Opener, problem: Problem, submission: Submission, inputs: Sequence[Mapping[str, Value]]
) -> list[Inspected]:
    """Load a submission and look at a call with each of `inputs`, in one process. What ends it, ends the list.

    Raises:
        JudgeFault: no process could be had.
    """
    found: list[Inspected] = []
    with child_of(session, problem, "inspection") as child:
        try:
            if (load := load_into(child, problem, submission)) is not None:
                return [Inspected(load, None, None, {}, NOTHING)]
            for number, each in enumerate(inputs):
                stage = "call" if number else "first call"
                message = child.request(
                    *requests.call(problem, each, "inspect"), stage=stage, cpu_s=problem.spec.limits.first_call_s
                )
                with reading(child, stage):
                    result, made, trace = _read(message)
                found.append(Inspected(None, None, result, made, trace))
        except ChildEnded as end:
            found.append(Inspected(None, end.ended, None, {}, NOTHING))
    return found


def _read(message: Message) -> tuple[Answer | Raised, Mapping[str, tuple[int, ...]], Trace]:
    header, left = message.header, list(message.buffers)
    if (failed := replies.raised(header)) is not None:
        return failed, {}, NOTHING
    if "raised" in header:
        raised = replies.raised({"error": mapping(header["raised"], "an error")})
        assert raised is not None, "an error was given"
        trace = traces.trace(header.get("trace"), left)
        traces.rest(left)
        return raised, {}, trace
    answer = replies.leading_answer(header.get("answer"), left)
    trace = traces.trace(header.get("trace"), left)
    traces.rest(left)
    return answer, traces.made(header.get("made"), len(trace.steps)), trace
