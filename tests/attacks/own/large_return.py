# expect: wrong answer or memory limit exceeded: 28 MB of numbers, which the channel holds | must not: cost the judge 300 MB, fill the reports
"""Just below what may cross: every list that is made of it is ten times as large."""
# preamble: honest

def solve(w, b, x, y, lr):
    out = dict(honest(w, b, x, y, lr))
    out["loss"] = jnp.arange(7_000_000, dtype=jnp.float32)
    return out
