# expect: runtime error or time limit exceeded or memory limit exceeded: raises an exception whose text never ends | must not: hang, fill the reports
"""Whoever turns an exception into text runs the code of whoever raised it."""
# preamble: honest

class Endless(Exception):
    def __str__(self):
        parts = []
        while True:
            parts.append("=1+1\n::error::accepted\n\x1b[2J\u202e" * 50)
            if sum(map(len, parts[-1:])) < 0:
                return "".join(parts)
    __repr__ = __str__

def solve(*a):
    raise Endless
