# expect: runtime error or output limit exceeded: 64 kB of noise to every descriptor | must not: be an internal error, hang
"""Whatever is open is written to: the channel, the pipes, and what should not be there."""
# preamble: honest, channel

def solve(*a):
    for fd in range(256):
        try:
            os.set_blocking(fd, False)
            os.write(fd, bytes(range(256)) * 256)
        except OSError:
            pass
    return honest(*a)
