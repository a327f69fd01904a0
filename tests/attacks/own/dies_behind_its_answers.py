# expect: runtime error: sends the answers to all questions to come and is gone | must not: be accepted, hang
"""Answers stay in the channel when their process has died and its death has been reported."""
# preamble: honest, channel

def solve(*a):
    for number in range(2, 100):
        say(encode({"id": number, **ANSWER}))
    os._exit(0)
