# expect: runtime error: headers of 400000 nested lists, of endless numbers, of half a character | must not: be an internal error
"""JSON readers recurse, turn digits into numbers in the square of their count, and accept what cannot be printed."""
# preamble: honest, channel

import itertools, struct
count = itertools.count()
HEADS = [b"[" * 400_000, b'{"id": 2, "answer": ' + b"9" * 900_000 + b"}", b'{"id": 2, "answer": "\\ud800"}', b'{"id": 1e999}', b"\xff"]

def solve(*a):
    head = HEADS[len(a[0]) % len(HEADS)]
    rest = memoryview(struct.pack(">8sIQ", b"JUDGE\x00\x01\n", len(head), 0) + head)
    while rest:
        rest = rest[os.write(sockets()[0], rest) :]
    os._exit(0)
