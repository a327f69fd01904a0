"""What each verdict means: what happened, likely causes, what to try. One table; `judge explain` prints it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judge.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Help:
    """`summary` is one line for the list; the causes come in the order in which to look for them."""

    summary: str
    happened: str
    causes: tuple[str, ...]
    remedies: tuple[str, ...]


HELP: Mapping[Verdict, Help] = {
    Verdict.LOAD_ERROR: Help(
        "the file could not be loaded, or defines no usable solve",
        "Python stopped before `solve` could be called once: at a syntax error, at an import, at a line outside of `solve`, or "
        "because `solve` is missing or takes other parameters. No points are given, since nothing ran.",
        (
            "a bracket that is not closed, or an indentation that mixes tabs and blanks; the message has the line",
            "an import of something that is not there: JAX, NumPy and the standard library are, your own files are not",
            "code at the top level that opens a file, starts a process or reads the network",
            "`solve` with another name, or with other parameters than the statement's: it is called by position",
            "in a notebook: no cell, or two cells that differ, define `solve`",
        ),
        (
            "run `python FILE`: it must end without an error and without output",
            "begin with `judge start SLUG`, which writes a file that loads",
        ),
    ),
    Verdict.RUNTIME_ERROR: Help(
        "solve raised an exception",
        "`solve` was called and raised; the message is JAX's or Python's own, with the line of your file. On hidden cases you "
        "are told the type and the line only.",
        (
            "a shape that fits the example and no other: a number of rows, features or outputs that is written down",
            "`if` or `float()` on a traced value inside `jit`, `grad` or `shard_map`",
            "an axis name that the mesh does not have, or a collective outside of the mapped function",
            "arrays on different devices in one operation",
        ),
        (
            "call `solve` with the input that is shown: the lines can be pasted into Python",
            "try dims of 1: one feature, one output, the fewest rows that the devices allow",
        ),
    ),
    Verdict.TIME_LIMIT: Help(
        "a stage took more CPU time, or waited longer, than the problem allows",
        "Loading, the first call of a shape, a further call and the exported program each have their own limit; the reason "
        "says which was passed. CPU time of all threads counts, and wall time of a few times that, against waiting.",
        (
            "a Python loop over rows or elements, each turn of which is an operation, and a compilation, of its own",
            "a `jit` that is made anew in each call, or whose arguments change their type, so that it compiles every time",
            "a loop that does not end, or a wait for something that never comes",
        ),
        (
            "replace loops over rows by array operations, `vmap` or `lax.scan`",
            "make the mesh and the `jit` once, at the top level of the file",
        ),
    ),
    Verdict.MEMORY_LIMIT: Help(
        "the process used more memory than the problem allows",
        "Memory is measured from outside; Python and JAX themselves count for some 170 MB of it.",
        (
            "an intermediate array with an axis too many, such as all pairs of rows",
            "results that are kept in a list from call to call",
        ),
        (
            "print the shapes of your intermediates for the largest example",
            "let `einsum` or `vmap` contract an axis instead of broadcasting it",
        ),
    ),
    Verdict.OUTPUT_LIMIT: Help(
        "the file printed too much",
        "What is printed is kept for the examples and cut when it is long; far more than that ends the run.",
        ("a `print` or `jax.debug.print` in a loop, or one for each device and step",),
        ("remove the prints, or print a shape instead of an array",),
    ),
    Verdict.DEADLOCK: Help(
        "devices waited for each other for ever",
        "Some devices entered a collective that the others never reached, so none could go on. It is told from a slow program "
        "by what XLA says of the collective that is stuck.",
        (
            "a `psum`, `pmean`, `all_gather` or `ppermute` under a `cond` or `while_loop` that only some devices take",
            "two collectives in another order on different devices",
            "replica groups or permutations that leave a device out",
        ),
        (
            "let every device run every collective; choose between values with `jnp.where` after it",
            "make the number of turns of a loop the same on all devices",
        ),
    ),
    Verdict.EXITED: Help(
        "the process ended by itself",
        "Whatever the exit status was, an answer was owed: an exit is never a pass.",
        (
            "`sys.exit`, `exit` or `quit` in the file or in `solve`",
            "a crash in native code; the reason names the signal",
        ),
        ("return a result, or raise an exception that says what is wrong",),
    ),
    Verdict.WRONG_TYPE: Help(
        "solve returned something else than a dict of arrays",
        "The result must be a plain dict, each value a `jax.Array` (or a NumPy array, where the statement says so).",
        (
            "a tuple, a list or None: a missing `return`",
            "a Python float for the loss, such as `float(loss)` or `loss.item()`",
            "a NumPy array where a `jax.Array` is asked for",
        ),
        ("return the dict that the docstring of the starter describes",),
    ),
    Verdict.WRONG_KEYS: Help(
        "the dict has other keys than the statement names",
        "The keys must be exactly those of the statement: none missing, none more.",
        ("another spelling, or a short name", "a helper value that was left in the dict"),
        ("copy the keys from the table of the statement",),
    ),
    Verdict.WRONG_SHAPE: Help(
        "an output has another shape than the statement says",
        "Shapes are compared before values, and nothing is broadcast.",
        (
            "`(1,)` where `()` is asked for: a mapped function returned the loss with an axis of devices",
            "a column `(D, 1)` where a vector `(D,)` is asked for",
            "the result of one device instead of the whole, or of all devices instead of one",
        ),
        ("print the shapes on the first example", "look at `out_specs`: `P()` is a whole, `P('data')` joins the parts"),
    ),
    Verdict.WRONG_DTYPE: Help(
        "an output has another dtype than the statement says",
        "Inputs are float32 unless the statement says otherwise, and outputs of the same precision are asked for.",
        (
            "`jax_enable_x64`, or NumPy in float64 on the way",
            "bfloat16 or float16 to the end; they are also too coarse for the values",
            "a count or a mask that is returned as an int or a bool",
        ),
        ("print `result['...'].dtype`", "cast with `.astype(jnp.float32)` at the end, and compute in float32"),
    ),
    Verdict.WRONG_PLACEMENT: Help(
        "an output lies on other devices than the statement asks for",
        "Replicated means that each device holds a whole copy; split means that device r holds block r. An array on one device "
        "is neither.",
        (
            "`out_specs` with an axis name where `P()` is meant, or the other way round",
            "`device_put` or an operation on one device after the parallel part",
            "`jit` without `out_shardings`, which leaves the placement to the compiler",
        ),
        (
            "print `result['w'].sharding`, or `jax.debug.visualize_array_sharding(result['w'])`",
            "ask for it: `out_shardings=NamedSharding(mesh, P())`",
        ),
    ),
    Verdict.REPLICAS_DIFFER: Help(
        "the copies of a replicated output are not the same on all devices",
        "The array calls itself replicated, and its devices hold different numbers. `np.asarray` reads one copy, so you do not "
        "see that by printing.",
        (
            "`out_specs=P()` with `check_vma=False`, without a reduction across the devices",
            "each device took its own step with its own gradient",
            "a reduction over part of the mesh only",
        ),
        (
            "run `judge run FILE --input case.json`, which prints what each device holds",
            "reduce with `psum` or `pmean` inside the mapped function, and leave `check_vma` on",
        ),
    ),
    Verdict.NOT_REPRODUCIBLE: Help(
        "right once, and wrong when it is called again",
        "`solve` is called many times in one process. A call gave the answer to another one, or the exported program is right "
        "and the live call is not.",
        (
            "results kept in a global, a default argument or a cache, by shape or by nothing at all",
            "a `jit` that closes over an array, a rate or a mask of the first call, which stays in the program as a constant",
            "a counter, or random numbers without a fixed key",
        ),
        (
            "hand everything that may change over as an argument of the compiled function",
            "call `solve` twice with different numbers of the same shape, and compare with fresh runs",
        ),
    ),
    Verdict.WRONG_ANSWER: Help(
        "a value is further from the reference than rounding explains",
        "Each element may be off by a tolerance that follows the rounding error of the problem; the reason says by how many "
        "tolerances it was missed. Float32 in any order of summation is right, bfloat16 inside is not.",
        (
            "a factor: a sum for a mean, a mean of means, a factor of 2, the number of devices",
            "a denominator of the shard where that of the whole batch is meant, or the other way round",
            "the loss after the step instead of before it, or the sign of the step",
            "a formula that cancels, such as an expanded square",
        ),
        (
            "look at the bars: a constant ratio of yours to the reference is a factor",
            "work the smallest input by hand, then run `judge run FILE --input case.json` on inputs of your own",
        ),
    ),
    Verdict.WRONG_STRUCTURE: Help(
        "the values are right, and the program does not work the way the statement asks for",
        "Splits and collectives are read from the exported program: which inputs are divided over all devices, and whether "
        "the outputs depend on a reduction across them. How you write it is your choice.",
        (
            "rows that every device holds whole, or that one device computes alone",
            "gathering the rows or the gradients and averaging them on every device, which is no reduction",
            "`jit` where `shard_map` or `pmap` is asked for, or the other way round",
            "a mesh over part of the devices",
        ),
        (
            "read the section of the statement on how it must be done",
            "name the axis in `in_specs` (or `in_shardings`) of every input that it wants split",
        ),
    ),
    Verdict.ACCEPTED: Help(
        "everything that was checked is right",
        "Every case has an answer and every check of it passed, in the live run and in the exported program.",
        (),
        ("hand it in: the course's cases are others, drawn from the same shapes and ranges",),
    ),
    Verdict.UNGRADED: Help(
        "the judge failed, or the machine under it",
        "That says nothing about your work: there is no score, which is not a score of zero, and it will be graded again.",
        ("a faulty problem, too little memory, a file that could not be read, or a run that was interrupted",),
        ("tell who runs the judge; `judge doctor` says what is wrong with a machine",),
    ),
}
