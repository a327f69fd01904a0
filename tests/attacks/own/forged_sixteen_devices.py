# expect: accepted or runtime error or wrong answer: a program for 16 devices where there are 8 | must not: be an internal error
"""A program is made for an abstract mesh of twice the devices; the count in it is not the count of the problem."""
# preamble: honest, forge

def more(blob):
    mesh = jax.sharding.AbstractMesh((16,), ("d",))
    f = jax.jit(jax.shard_map(lambda v: jax.lax.psum(v, "d"), mesh=mesh, in_specs=P("d"), out_specs=P()))
    s = jax.sharding.NamedSharding(mesh, P("d"))
    return bytes(export.export(f)(jax.ShapeDtypeStruct((16,), jnp.float32, sharding=s)).serialize())

forge(more)

def solve(*a):
    return honest(*a)
