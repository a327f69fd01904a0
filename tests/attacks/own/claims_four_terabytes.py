# expect: wrong answer: says of its answers that they are corners of arrays of 4 TB | must not: be an internal error, cost the judge the memory
"""What an answer says of its shape is a claim; nothing may be made as large as it before all parts are there."""
# preamble: honest, channel

import itertools
import numpy as np

def solve(*a):
    if isinstance(a[0], jax.core.Tracer):
        raise TypeError("live only")
    side = 1 << 20
    shards = [{"device": n, "index": [[n, n + 1], [0, 1]]} for n in range(8)]
    outputs = [{"key": k, "kind": "jax", "dtype": "float32", "shape": [side, side], "shards": shards} for k in ("w", "b", "loss")]
    asked = b""
    for number in itertools.count(2):
        if b'"modules"' in asked:
            say(encode({"id": number, "modules": 0}))
        else:
            say(encode({"id": number, "answer": {"type": "dict", "outputs": outputs}}, [np.ones((1, 1), np.float32)] * 24))
        asked = os.read(sockets()[0], 1 << 20)
        if not asked:
            os._exit(0)
