# expect: accepted or runtime error: looks for descriptors that the launcher left open, and asks the channel for more | must not: print BREACH
"""A child has null, two pipes and one channel. A second socket would be the launcher's or a neighbour's."""
# preamble: honest, channel

import socket

def solve(*a):
    found = [f"socket {fd}" for fd in sockets()[1:]]
    for fd in range(3, 256):
        try:
            kind = os.fstat(fd).st_mode
        except OSError:
            continue
        if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
            try:
                # What Python and JAX opened themselves is read only and no secret; the launcher's would be writable.
                os.pwrite(fd, b"", 0)
                found.append(f"file {fd}")
            except OSError:
                pass
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=sockets()[0])
    try:
        # Not recv_fds, which forgets its flags in Python 3.11, and would wait.
        data, ancillary, *_ = channel.recvmsg(1, socket.CMSG_SPACE(4), socket.MSG_DONTWAIT)
        found += [f"message {kind} of {level}" for level, kind, _ in ancillary]
    except OSError:
        pass
    finally:
        channel.detach()
    if found:
        print("BREACH:", found, flush=True)
        return None
    return honest(*a)
