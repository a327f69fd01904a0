# expect: accepted or runtime error: opens files and pipes until none is left | must not: take the launcher's, break the next submission
"""Descriptors are counted for each process; those of the launcher and of the judge must not run out."""
# preamble: honest, channel

KEPT = []
try:
    while True:
        KEPT.extend(os.pipe())
except OSError:
    pass
try:
    while True:
        KEPT.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for fd in KEPT[:20]:
    os.close(fd)

def solve(*a):
    return honest(*a)
