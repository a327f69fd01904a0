# expect: accepted or runtime error or memory limit exceeded or time limit exceeded: as many threads as there may be, which stay | must not: keep the launcher from forking, break the next submission
"""Threads are counted by user: those of one submission must leave enough for the others."""
# preamble: honest, channel

import threading, time

def pile():
    threading.stack_size(64 << 10)
    try:
        while True:
            threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    except RuntimeError:
        pass
    threading.stack_size(0)

def solve(*a):
    pile()
    return honest(*a)
