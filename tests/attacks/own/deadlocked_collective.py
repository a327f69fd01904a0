# expect: runtime error: half of the devices wait in a psum for the other half | must not: hang, be shown as a mere time limit
"""The branch hangs on the device's number, so not every device comes to the collective."""
# preamble: honest

def solve(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    def go(w, b, x, y):
        l = jnp.mean((x @ w + b - y) ** 2)
        t = jax.lax.cond(jax.lax.axis_index("d") < 4, lambda v: jax.lax.psum(v, "d"), lambda v: v, l)
        return {"w": w, "b": b, "loss": t}
    f = jax.shard_map(go, mesh=mesh, in_specs=(P(), P(), P("d"), P("d")), out_specs=P(), check_vma=False)
    return jax.jit(f)(w, b, x, y)
