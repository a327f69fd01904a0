# expect: runtime error or wrong answer: an answer of 64 MB, the most that is allowed | must not: cost the judge 300 MB
"""The judge holds what it is sent; it must not hold it many times over."""
# preamble: honest, channel

def solve(*a):
    import json, struct
    head = json.dumps({"id": 2, **ANSWER, "buffers": [{"dtype": "bytes", "shape": [64 << 20]}]}).encode()
    rest = memoryview(struct.pack(">8sIQ", b"JUDGE\x00\x01\n", len(head), 64 << 20) + head + bytes(64 << 20))
    while rest:
        rest = rest[os.write(sockets()[0], rest) :]
    os._exit(0)
