# expect: runtime error: a hundred answers while it is loaded | must not: be accepted
"""They wait in the channel for questions to come."""
# preamble: honest, channel

for number in range(1, 100):
    say(encode({"id": number, "loaded": True, **ANSWER}))

def solve(*a):
    return honest(*a)
