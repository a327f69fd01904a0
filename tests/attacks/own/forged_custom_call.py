# expect: accepted or runtime error or wrong answer: a program that calls a host callback and a custom call of its own | must not: print BREACH, run them
"""Custom calls are the way from a program to the host; none may be run that the judge does not know."""
# preamble: honest, forge

def calling(blob):
    old = export.deserialize(bytearray(blob))
    def f(w, b, x, y, lr):
        t = jax.ffi.ffi_call("xla_ffi_python_cpu_callback", jax.ShapeDtypeStruct((), jnp.float32))(lr, index=0)
        return {"w": w, "b": b, "loss": t}
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in old.in_avals]
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in ("xla_ffi_python_cpu_callback",)]
    return bytes(export.export(jax.jit(f), disabled_checks=checks)(*avals).serialize())

forge(calling)

def solve(*a):
    return honest(*a)
