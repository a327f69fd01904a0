# expect: accepted or runtime error: leaves marks in its process, and looks for those of other processes of the launcher | must not: print BREACH
"""A child is a fork of the launcher: what an earlier child changed in its memory must not be there in a later one."""
# preamble: honest, channel

import builtins, gc, tempfile

MARK = "atk-" + "mark"

def marked():
    if hasattr(builtins, MARK) or MARK in sys.modules or MARK in os.environ:
        yield "a mark in the modules"
    if any(type(one) is dict and one.get(MARK) == MARK for one in gc.get_objects()):
        yield "a mark among the objects"
    for folder in ("/tmp", "/dev/shm", "/var/tmp", os.getcwd(), *sys.path):
        try:
            if MARK in os.listdir(folder):
                yield f"a mark in {folder}"
        except OSError:
            pass

FOUND = list(marked())
KEPT = {MARK: MARK}
gc.freeze()
setattr(builtins, MARK, 1)
sys.modules[MARK] = sys
os.environ[MARK] = "1"
for folder in ("/tmp", "/dev/shm", "/var/tmp", os.getcwd()):
    try:
        os.close(os.open(os.path.join(folder, MARK), os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError:
        pass

def solve(*a):
    if FOUND:
        print("BREACH:", FOUND, flush=True)
        return None
    return honest(*a)
