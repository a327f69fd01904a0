# expect: runtime error: answers a request that was not made | must not: be accepted
"""Every answer repeats the number of its request; this one counts on."""
# preamble: honest, channel

def solve(*a):
    say(encode({"id": 3, **ANSWER}))
    return honest(*a)
