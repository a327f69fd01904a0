"""`judge.runner.paths` and what it stands on: groups in all spellings, rows through shapes, and whole programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.model.outcome import Facts
from judge.runner.groups import over_axes, parse
from judge.runner.paths import facts, join
from judge.runner.rows import reshaped
from judge.runner.stablehlo import Unreadable, parsed, read
from judge.sandbox import runs
from judge.sandbox.session import Session
from tests.support import exercises
from tests.support.inside import SETTINGS

CASES = Path(__file__).parents[1] / "cases"
MESHES = {"mesh": (("host", 2), ("chip", 4))}
ROWS = ((0, 1, 2, 3), (4, 5, 6, 7))
COLUMNS = ((0, 4), (1, 5), (2, 6), (3, 7))


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>", ROWS),
        ("dense<0> : tensor<1x1xi64>", ((0,),)),
        ("{{0,1,2,3},{4,5,6,7}}", ROWS),
        ("[2,4]<=[8]", ROWS),
        ("[4,2]<=[2,4]T(1,0)", COLUMNS),
        ("mesh['host'=2,'chip'=4] {'chip'}", ROWS),
        ("mesh['host'=2,'chip'=4] {host}", COLUMNS),
        ('#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "chip">]>', ROWS),
        ('@mesh {"host"}', COLUMNS),
        ('@mesh {"host", "chip"}', ((0, 1, 2, 3, 4, 5, 6, 7),)),
        ('@other {"host"}', ()),
        ('@mesh {"chip":(1)2}', ()),
        ("[3,3]<=[8]", ()),
        ("something else", ()),
    ],
)
def test_replica_groups_are_read_in_every_spelling_and_an_unknown_one_has_none(
    text: str, groups: tuple[tuple[int, ...], ...]
) -> None:
    assert parse(text, MESHES) == groups


def test_axes_of_a_mesh_name_the_devices_that_differ_in_them_only() -> None:
    assert over_axes(MESHES["mesh"], ["chip"]) == ROWS
    assert over_axes(MESHES["mesh"], ["nobody"]) == ()


def test_reductions_over_two_axes_one_after_the_other_join_all_devices() -> None:
    half = join(tuple(range(8)), ROWS)
    assert half == (0, 0, 0, 0, 4, 4, 4, 4)
    assert join(half, COLUMNS) == (0,) * 8


@pytest.mark.parametrize(
    ("before", "after", "axes", "expected"),
    [
        ((80, 5), (8, 10, 5), {0}, {0, 1}),
        ((8, 10, 5), (80, 5), {0, 1}, {0}),
        ((1, 10, 5), (10, 5), {1}, {0}),
        ((80,), (80, 1), {0}, {0}),
        ((80, 5), (400,), {0}, {0}),
        ((5, 80), (5, 8, 10), {1}, {1, 2}),
        ((6, 4), (4, 6), {0}, {0, 1}),
        ((5, 80), (5, 80), set(), set()),
    ],
)
def test_rows_are_found_again_after_a_reshape(
    before: tuple[int, ...], after: tuple[int, ...], axes: set[int], expected: set[int]
) -> None:
    assert reshaped(before, after, frozenset(axes)) == expected


def all_reduce(groups: str) -> str:
    return f"""
module @m {{
  sdy.mesh @mesh = <["host"=2, "chip"=4]>
  func.func public @main(%x: tensor<16x3xf32> loc("x")) -> (tensor<2x3xf32> {{jax.result_info = "result['w']"}}) {{
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{"host", "chip"}}, {{}}]>] out_shardings=[<@mesh, [{{}}, {{}}]>]
        manual_axes={{"host", "chip"}} (%a: tensor<2x3xf32>) {{
      %1 = "stablehlo.all_reduce"(%a) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
          replica_groups = {groups}, use_global_device_ids}}> ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %2 = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }}) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("body"("student.py":7:3 to :9))
      sdy.return %1 : tensor<2x3xf32>
    }} : (tensor<16x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }}
}}"""


@pytest.mark.parametrize(
    ("groups", "reduced"),
    [
        ("dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>", True),
        ("dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>", False),
        (
            """#stablehlo.replica_group_mesh_axes<mesh = @mesh,
            axes = [#stablehlo.axis_ref<name = "host">, #stablehlo.axis_ref<name = "chip">]>""",
            True,
        ),
        ('#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "chip">]>', False),
    ],
)
def test_a_reduction_counts_when_its_groups_span_all_devices(groups: str, reduced: bool) -> None:
    found = facts(read(parsed(all_reduce(groups)), to_run=True), 8, "student.py")
    assert found["paths"] == [{"output": "w", "input": "x", "split": "manual", "reduced": reduced}]
    assert found["collectives"][0]["line"] == 7
    assert found["splits"] == [{"input": "x", "axis": 0, "parts": 8, "by": "manual", "line": 0}]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<f32>) -> tensor<f32>", "python_cpu"),
        ("%0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>", "calls itself"),
        (
            """%t = stablehlo.create_token : !stablehlo.token
            %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)""",
            "infeed",
        ),
        ("%0 = math.exp %x : tensor<f32>", "math.exp"),
    ],
)
def test_what_a_program_has_no_use_for_is_refused(body: str, said: str) -> None:
    result = "%0#0" if ":2" in body else "%0"
    text = f"func.func public @main(%x: tensor<f32>) -> tensor<f32> {{ {body}\n return {result} : tensor<f32> }}"
    with pytest.raises(Unreadable, match=said):
        read(parsed(text), to_run=True)


def test_nesting_without_end_is_refused() -> None:
    inner = "%r = stablehlo.add %x, %x : tensor<f32>\n"
    for depth in range(80):
        inner = (
            f'%n{depth} = "stablehlo.case"(%i) ({{ {inner} stablehlo.return %x : tensor<f32> }}) '
            ": (tensor<i32>) -> tensor<f32>\n"
        )
    text = (
        f"func.func public @main(%x: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {{ {inner} return %x : tensor<f32> }}"
    )
    with pytest.raises(Unreadable, match="too deeply nested"):
        read(parsed(text), to_run=True)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(SETTINGS) as opened:
        yield opened


def facts_of(session: Session, slug: str, source: str | bytes) -> Facts:
    """Facts of the program that a source exports to."""
    problem = exercises.problem(slug)
    case = exercises.case(slug, n=40, d=5, k=3)
    export = runs.run_export(session, problem, exercises.submission(slug, source), [case])
    assert export.programs, (export.load, export.refused, export.ended)
    program = runs.run_program(session, problem, export.programs, [case])
    assert 0 in program.facts, program.failed
    return program.facts[0]


def ways(found: Facts, output: str, input_: str) -> set[tuple[str, bool]]:
    return {(path.split, path.reduced) for path in found.paths if (path.output, path.input) == (output, input_)}


HEAD = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("data",))
def loss(w, b, x, y): return jnp.mean(jnp.sum((x @ w + b - y) ** 2, 1))
def local(w, b, x, y): return jax.value_and_grad(loss, (0, 1))(w, b, x, y)
"""
GOOD = {("manual", True)}
PROGRAMS = {
    "a scan over the local rows": (
        """
def solve(w, b, x, y, lr):
    def body(w, b, x, y):
        def one(sum_, row):
            return jax.tree.map(jnp.add, sum_, local(w, b, row[0][None], row[1][None])), None
        zero = jax.tree.map(jnp.zeros_like, (jnp.float32(0), (w, b)))
        total, _ = jax.lax.scan(one, zero, (x, y))
        return jax.lax.psum(total, "data")
    _, (gw, gb) = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(),
                                check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw / 40, "b": b - lr * gb / 40}
""",
        GOOD,
    ),
    "microbatches scanned outside of shard_map": (
        """
def solve(w, b, x, y, lr):
    def body(w, b, x, y): return jax.lax.pmean(local(w, b, x, y)[1], "data")
    f = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(), check_vma=False)
    def one(sum_, part): return jax.tree.map(jnp.add, sum_, f(w, b, *part)), None
    parts = (x.reshape(5, 8, 5), y.reshape(5, 8, 3))
    (gw, gb), _ = jax.lax.scan(one, jax.tree.map(jnp.zeros_like, (w, b)), parts)
    return {"w": w - lr * gw / 5, "b": b - lr * gb / 5}
""",
        GOOD,
    ),
    "two reductions over the two axes of a mesh": (
        """
two = Mesh(np.array(jax.devices()).reshape(2, 4), ("host", "chip"))
def solve(w, b, x, y, lr):
    def body(w, b, x, y): return jax.lax.pmean(jax.lax.pmean(local(w, b, x, y)[1], "chip"), "host")
    rows = P(("host", "chip"))
    gw, gb = jax.shard_map(body, mesh=two, in_specs=(P(), P(), rows, rows), out_specs=P(), check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        GOOD,
    ),
    "a reduction over one axis of two": (
        """
two = Mesh(np.array(jax.devices()).reshape(2, 4), ("host", "chip"))
def solve(w, b, x, y, lr):
    def body(w, b, x, y): return jax.lax.pmean(local(w, b, x, y)[1], "chip")
    rows = P(("host", "chip"))
    gw, gb = jax.shard_map(body, mesh=two, in_specs=(P(), P(), rows, rows), out_specs=P(), check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        {("manual", False)},
    ),
    "psum_scatter and all_gather": (
        """
def solve(w, b, x, y, lr):
    def body(w, b, x, y):
        gw, gb = local(w, b, x, y)[1]
        flat = jnp.concatenate([gw.ravel(), gb, jnp.zeros(-(gw.size + gb.size) % 8)])
        part = jax.lax.psum_scatter(flat, "data", tiled=True) / 8
        flat = jax.lax.all_gather(part, "data", tiled=True)
        return flat[: gw.size].reshape(gw.shape), flat[gw.size : gw.size + gb.size]
    gw, gb = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(),
                           check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        GOOD,
    ),
    "rows stacked a device before pmap": (
        """
def solve(w, b, x, y, lr):
    step = jax.pmap(lambda w, b, x, y: jax.lax.pmean(local(w, b, x, y)[1], "i"), axis_name="i", in_axes=(None, None, 0, 0))
    gw, gb = step(w, b, jnp.stack(jnp.split(x, 8)), y.reshape(8, -1, 3))
    return {"w": w - lr * gw[0], "b": b - lr * gb[0]}
""",
        GOOD,
    ),
    "the whole batch copied to every device": (
        """
def solve(w, b, x, y, lr):
    step = jax.pmap(lambda w, b, x, y: jax.lax.pmean(local(w, b, x, y)[1], "i"), axis_name="i", in_axes=(None, None, 0, 0))
    gw, gb = step(w, b, jnp.stack([x] * 8), jnp.broadcast_to(y, (8, *y.shape)))
    return {"w": w - lr * gw[0], "b": b - lr * gb[0]}
""",
        {("none", False)},
    ),
    "gradients of one device put through a pmean of their rows": (
        """
def solve(w, b, x, y, lr):
    gw, gb = local(w, b, x, y)[1]
    f = jax.shard_map(lambda g: jax.lax.psum(g.sum(0), "data"), mesh=mesh, in_specs=P("data"), out_specs=P())
    gw, gb = f(jnp.broadcast_to(gw, (8, *gw.shape)) / 8), f(jnp.broadcast_to(gb, (8, *gb.shape)) / 8)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        {("none", False)},
    ),
    "a decoy reduction whose result is dropped": (
        """
def solve(w, b, x, y, lr):
    jax.shard_map(lambda x: jax.lax.psum(x.sum(), "data"), mesh=mesh, in_specs=P("data"), out_specs=P())(x)
    gw, gb = local(w, b, x, y)[1]
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        {("none", False)},
    ),
    "the mean of stacked gradients taken outside": (
        """
def solve(w, b, x, y, lr):
    def body(w, b, x, y): return jax.tree.map(lambda g: g[None], local(w, b, x, y)[1])
    gw, gb = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P("data"),
                           check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw.mean(0), "b": b - lr * gb.mean(0)}
""",
        {("manual", False)},
    ),
    "rows split over four of the eight": (
        """
two = Mesh(np.array(jax.devices()).reshape(2, 4), ("host", "chip"))
def solve(w, b, x, y, lr):
    def body(w, b, x, y): return jax.lax.pmean(local(w, b, x, y)[1], ("host", "chip"))
    gw, gb = jax.shard_map(body, mesh=two, in_specs=(P(), P(), P("chip"), P("chip")), out_specs=P(),
                           check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        {("none", False)},
    ),
    "transposed rows": (
        """
def solve(w, b, x, y, lr):
    def body(w, b, xt, y): return jax.lax.pmean(local(w, b, xt.T, y)[1], "data")
    gw, gb = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P(None, "data"), P("data")), out_specs=P(),
                           check_vma=False)(w, b, x.T, y)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        GOOD,
    ),
    "a step of either branch": (
        """
def solve(w, b, x, y, lr):
    def body(w, b, x, y):
        g = local(w, b, x, y)[1]
        return jax.lax.cond(lr > 0, lambda g: jax.lax.pmean(g, "data"), lambda g: jax.lax.psum(g, "data"), g)
    gw, gb = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P(),
                           check_vma=False)(w, b, x, y)
    return {"w": w - lr * gw, "b": b - lr * gb}
""",
        GOOD,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_path_to_the_weights_is_followed_through(session: Session, name: str) -> None:
    source, expected = PROGRAMS[name]
    found = facts_of(session, "shard-map-step", HEAD + source)
    for output in ("w", "b"):
        for input_ in ("x", "y"):
            assert ways(found, output, input_) == expected, (output, input_)


def test_a_split_over_part_of_the_devices_is_recorded_with_its_parts(session: Session) -> None:
    found = facts_of(session, "shard-map-step", HEAD + PROGRAMS["rows split over four of the eight"][0])
    assert {(split.input, split.axis, split.parts, split.by) for split in found.splits} == {
        ("x", 0, 4, "manual"),
        ("y", 0, 4, "manual"),
    }


def test_features_that_are_split_are_told_from_rows(session: Session) -> None:
    source = (
        HEAD
        + """
def solve(w, b, x, y, lr):
    return {"w": jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "data"))).sum()}
"""
    )
    problem = exercises.problem("shard-map-step")
    case = exercises.case("shard-map-step", n=8, d=16)
    export = runs.run_export(session, problem, exercises.submission("shard-map-step", source), [case])
    found = runs.run_program(session, problem, export.programs, [case]).facts[0]
    assert [(s.input, s.axis, s.parts, s.by, s.line) for s in found.splits] == [("x", 1, 8, "auto", 9)]
    assert ways(found, "w", "x") == {("none", False)}


def test_a_mesh_of_two_by_two_that_splits_the_rows_over_both_axes_splits_by_four(session: Session) -> None:
    source = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
def solve(w, x, y, lr):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(("a", "b"))))
    return {"w": w - lr * x.T @ (x @ w - y)}
"""
    found = facts_of(session, "jit-step", source)
    assert (found.devices, found.manual_regions, found.collectives) == (4, 0, ())
    assert ways(found, "w", "x") == {("auto", False)}
    assert ways(found, "w", "y") == {("none", False)}


def test_collectives_name_the_line_of_the_student(session: Session) -> None:
    found = facts_of(session, "shard-map-step", (CASES / "shard-map-step" / "hint_style_eager.py").read_bytes())
    whole = (tuple(range(8)),)
    assert [(one.op, one.line, one.groups) for one in found.collectives] == [
        ("all_reduce", line, whole) for line in (21, 22, 23)
    ]
    assert {(split.input, split.line) for split in found.splits} == {("x", 28), ("y", 28)}


def labelled(slug: str, verdict: str) -> list[str]:
    labels: dict[str, Any] = json.loads((CASES / slug / "labels.json").read_text())
    return [name for name, label in labels.items() if label["verdicts"] == [verdict]]


#: Labelled as accepted; printing what is not there under a trace, or NumPy inside.
UNTRACEABLE = {"noisy_debug_prints.py"}
RULES = {
    "shard-map-step": ("manual", True, ("w", "b"), ("x", "y")),
    "masked-step": ("manual", True, ("w", "b", "loss"), ("x", "y", "mask")),
    "pmap-step": ("manual", True, ("w", "b", "loss"), ("x", "y")),
    "jit-step": ("auto", False, ("w", "loss", "gradient"), ("x",)),
}


@pytest.mark.parametrize("slug", RULES)
def test_labelled_submissions_have_the_structure_of_their_verdict(session: Session, slug: str) -> None:
    split, reduced, outputs, inputs = RULES[slug]
    for verdict in ("accepted", "wrong_structure"):
        for name in labelled(slug, verdict):
            if name in UNTRACEABLE:
                continue
            found = facts_of(session, slug, (CASES / slug / name).read_bytes())
            right = all(ways(found, o, i) == {(split, reduced)} for o in outputs for i in inputs)
            if name == "loss_left_on_one_device.py":
                right = all(ways(found, o, i) == {(split, reduced)} for o in ("w", "b") for i in inputs)
            assert right == (verdict == "accepted"), (name, found)
            assert found.devices == exercises.EXERCISES[slug][0]
