# expect: time limit exceeded: a thread answers a minute later | must not: hang, be accepted
"""The question is never answered in time; what comes later must not be read by anybody."""
# preamble: honest, channel

import threading, time

def late(number):
    time.sleep(60)
    say(encode({"id": number, **ANSWER}))

def solve(*a):
    threading.Thread(target=late, args=(2,), daemon=True).start()
    time.sleep(3600)
