# expect: accepted or runtime error or wrong answer: a program of 3000 regions inside each other | must not: be an internal error, end the judge
"""Readers of programs walk regions: one that calls itself for each runs out of stack."""
# preamble: honest, forge

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
