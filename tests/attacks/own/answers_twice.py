# expect: runtime error: two answers to one question | must not: be accepted, be taken for the next case's
"""The first frame is the student's own, the second the runner's."""
# preamble: honest, channel

def solve(*a):
    out = honest(*a)
    say(encode({"id": 2, **ANSWER}))
    return out
