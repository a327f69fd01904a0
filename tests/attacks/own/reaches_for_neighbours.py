# expect: accepted or runtime error: signals, traces, reads and re-prioritises every process it can name | must not: print BREACH
"""The launcher is the parent, and children of other sessions have numbers nearby. Signal 0 and bad arguments only ask."""
# preamble: honest, channel

import ctypes, signal
libc = ctypes.CDLL(None, use_errno=True)

def reached():
    parent, own = os.getppid(), os.getpid()
    for pid in {1, parent, own - 1, own + 1, own - 2, own + 2} - {own, 0}:
        for name, attempt in {
            "signal": lambda: os.kill(pid, 0),
            "group": lambda: os.killpg(pid, 0),
            "affinity": lambda: os.sched_setaffinity(pid, os.sched_getaffinity(0)),
            "priority": lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
            "pidfd": lambda: os.close(os.pidfd_open(pid)),
            "limits": lambda: __import__("resource").prlimit(pid, 7),
            "memory": lambda: open(f"/proc/{pid}/mem", "rb").close(),
            "environment": lambda: open(f"/proc/{pid}/environ", "rb").read(1),
            "descriptors": lambda: os.listdir(f"/proc/{pid}/fd"),
        }.items():
            try:
                attempt()
                yield f"{name} of {pid}"
            except OSError:
                pass
        buffer = ctypes.create_string_buffer(8)
        vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
        if libc.process_vm_readv(pid, ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0) > 0:
            yield f"memory of {pid}"
        # PTRACE_SEIZE: unlike PTRACE_ATTACH it does not stop who is traced, and it ends with this process.
        if libc.ptrace(0x4206, pid, 0, 0) == 0:
            yield f"trace of {pid}"

def solve(*a):
    found = list(reached())
    if found:
        print("BREACH:", found[:10], flush=True)
        return None
    return honest(*a)
