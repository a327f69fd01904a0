"""One run of a submission on one input, looked at step by step."""

from __future__ import annotations

from collections.abc import Mapping

from judge.model.case import Value
from judge.model.outcome import Answer, Ended, Load, Raised
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


def run_inspection(session: Opener, problem: Problem, submission: Submission, inputs: Mapping[str, Value]) -> Inspected:
    """Load a submission and look at one call with `inputs`, by name.

    Raises:
        JudgeFault: no process could be had.
    """
    load: Load | None = None
    ended: Ended | None = None
    found: tuple[Answer | Raised, Mapping[str, tuple[int, ...]], Trace] | None = None
    with child_of(session, problem, "inspection") as child:
        try:
            load = load_into(child, problem, submission)
            if load is None:
                limit = problem.spec.limits.first_call_s
                message = child.request(*requests.call(problem, inputs, "inspect"), stage="first call", cpu_s=limit)
                with reading(child, "first call"):
                    found = _read(message)
        except ChildEnded as end:
            ended = end.ended
    result, made, trace = found or (None, {}, NOTHING)
    return Inspected(load, ended, result, made, trace, child.stdout)


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
