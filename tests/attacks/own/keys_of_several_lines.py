# expect: wrong answer: keys that read as further lines of a report | must not: make a line of their own, act in a terminal
"""Keys are shown beside the values that belong to them."""
# preamble: honest

def solve(w, b, x, y, lr):
    out = dict(honest(w, b, x, y, lr))
    return {**out, "loss\n```\n# accepted\n::error::x\n": out["loss"], "\x1b]0;x\x07": out["loss"], "\u202eyek": out["w"]}
