# expect: accepted or runtime error or wrong answer: a program of 3000 regions inside each other | must not: be an internal error, end the judge
"""Readers of programs walk regions: one that calls itself for each runs out of stack."""
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

def honest(w, b, x, y, lr):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    w, b, x, y = (jnp.asarray(t, jnp.float32) for t in (w, b, x, y))
    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P(), P(), P("d"), P("d")), out_specs=P())
    def go(w, b, x, y):
        l, g = jax.value_and_grad(lambda w, b: jnp.mean(jnp.sum((x @ w + b - y) ** 2, 1)), (0, 1))(w, b)
        return {"w": w - lr * g[0] / 8, "b": b - lr * g[1] / 8, "loss": jax.lax.pmean(l, "d")}
    return go(w, b, x, y)

import sys
from jax import export

def forge(make):
    """In the process that exports, hand over whatever `make` returns instead of the program."""
    module = sys.modules.get("judge.runner.export")
    if module is not None:
        right = module.Export._program
        module.Export._program = lambda self, inputs, kept: make(right(self, inputs, kept))

def deep(blob):
    from jax._src.lib.mlir import ir
    old = export.deserialize(bytearray(blob))
    import dataclasses
    depth = 3000
    text = "func.func public @main(%arg0: tensor<i1>) -> tensor<i1> {\n"
    value = "%arg0"
    for n in range(depth):
        text += f"%v{n} = \"stablehlo.if\"(%arg0) ({{\n"
    text += f"stablehlo.return %arg0 : tensor<i1>\n"
    for n in reversed(range(depth)):
        text += "}, { stablehlo.return %arg0 : tensor<i1> }) : (tensor<i1>) -> tensor<i1>\n"
        text += f"stablehlo.return %v{n} : tensor<i1>\n" if n else "return %v0 : tensor<i1>\n"
    text += "}"
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        out = mlir.module_to_bytecode(module)
    from jaxlib import _jax as xc
    out = xc.mlir.serialize_portable_artifact(out, "1.9.0") if hasattr(xc, "mlir") else out
    return bytes(dataclasses.replace(old, mlir_module_serialized=out).serialize())

def careful(blob):
    try:
        return deep(blob)
    except Exception as error:
        print("could not be made:", type(error).__name__, str(error)[:200])
        return b"x" * 100

forge(careful)

def solve(*a):
    return honest(*a)
