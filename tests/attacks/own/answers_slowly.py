# expect: time limit exceeded or runtime error: one byte of an answer a second | must not: hang
"""As long as bytes arrive, a judge that waits for silence waits for ever."""
# preamble: honest, channel

import time

def solve(*a):
    for byte in encode({"id": 2, **ANSWER, "padding": "x" * 5000}):
        say(bytes([byte]))
        time.sleep(1)
