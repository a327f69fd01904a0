# expect: runtime error: half of an answer, and gone | must not: be accepted, hang
"""The rest of the answer never comes."""
# preamble: honest, channel

def solve(*a):
    frame = encode({"id": 2, **ANSWER, "padding": "x" * 5000})
    say(frame[: len(frame) // 2])
    os._exit(0)
