# expect: accepted or runtime error: programs cut short, with bits turned, and of nothing at all | must not: be an internal error, end the judge
"""The live run is honest, the programs are rubbish: the reader of programs must refuse them, one by one."""
# preamble: honest, forge

import itertools
count = itertools.count()

def spoil(blob):
    number = next(count) % 4
    if number == 0:
        return blob[: len(blob) // 2]
    if number == 1:
        return b"\xff" * 5000
    if number == 2:
        return b""
    turned = bytearray(blob)
    for place in range(64, len(turned), 97):
        turned[place] ^= 0x55
    return bytes(turned)

forge(spoil)

def solve(*a):
    return honest(*a)
