"""The untrusted side of the boundary. Imports nothing of the judge; only `wire` is shared.

Theory of operation. `launcher` imports JAX once, touches no device, and forks a child for every `open` that arrives on its
control socket. A child is of one kind, serves one submission, and dies:

    live        loads the student's file and calls `solve`
    export      loads the student's file and traces it; it is shown no values of arrays
    program     never sees student code: it reads and runs what an export child made
    inspection  loads the student's file and keeps what every device holds at each step of a call

A child takes the confinement upon itself, asks for its devices, asserts their number, and only then reads requests from its
own socket, one at a time: every request is answered by one frame of `wire` that repeats its `id`. The trusted side measures;
what a child says about itself is a claim.

Requests and their answers (headers; buffers in brackets); `request` names the request. An answer with `error` instead of
the fields named has failed:
`{"type", "message", "line", "text"}`, `line` and `text` being the last frame of the student's own file, 0 and "" without one.

    ready                                        -> devices: int                    (sent by a child unasked, with id 0)
    load     filename, entry, parameters [source]-> loaded: true                     (live, export, inspection)
    call     inputs [arrays]                     -> answer [shards]                  (live)
    inspect  inputs [arrays]                     -> answer, made, trace [shards]     (inspection)
    modules                                      -> modules: count [bytes each]      (live: StableHLO of what it compiled)
    record                                       -> recording: true                  (live: asked of the problem's own solutions)
    executables                                  -> keys: [hex] [bytes each]         (live: compiled since `record`)
    export   inputs                              -> scalars: {name: value} [program] (export)
    prepare  program: int, inputs: [name], scalars: [name], static: [name], line_file: str [program]
                                                 -> facts                            (program)
    run      program: int, cases: int [stacked]  -> layout [stacked shards]          (program)
    facts    devices: int, line_file: str [module] -> facts                          (program: of one module of a live run)

`inputs` of `call` and `inspect`: a list in call order of `{"name", "type": "array"}` (its values are the next buffer),
`{"name", "type": "float" | "int", "value"}` or `{"name", "type": "ints", "value": [..]}`. Of `export` the same, arrays
described by `"dtype"` and `"shape"`; a float is first traced and only then kept as the Python value given, and `scalars`
names those that were kept.

`prepare` names all inputs in call order, the float inputs that were kept as values (`scalars`) and the static ones; neither is
an argument of the program. `run` carries one buffer per argument of the program, in order, each with a leading axis of `cases`;
a traced float is a float64 vector, rounded here to what the program takes.

`answer`: `{"type": "dict", "outputs": [output...]}`; when it is not a dict, `type` is its name and there are no outputs.
An output is `{"key", "kind", "dtype", "shape", "shards": [{"device", "index": [[start, stop]...]}]}`, `kind` being `jax`, `numpy`
or the name of another type;
its shards' values are the next buffers, in order; a NumPy array has one shard on device -1; a dtype that may not cross
is named and has no shards. `layout` is an `answer` in which every buffer has a leading axis of `cases`.

`trace`: `{"steps": [step...], "notes": [{"line", "text"}], "left_out": count}`. A step is `{"span": [line, column, end line,
end column], "op", "parents": [step], "shape", "dtype", "backward", "label", "axes", "groups", "within": [["loop" | "branch",
step, number]...], "manual", "outside", "partial", "value"}`, as `judge.model.trace.Step` explains; `value` is an output without
its key. A manual value has an axis of one for the device of a shard. Each loop around a step has an axis of `ITERATIONS` places,
before that of the device for the first `outside` loops and after it for the others: the first iterations, and in the last
place the last one. How often a loop ran and which branch was taken is the value of the step that `within` names. `made` has the
steps of each output by key. With `raised`, an error, in place of `answer` and `made`, `solve` raised after those steps.

`facts`: `{"devices", "manual_regions", "collectives": [{"op", "groups", "line"}], "splits": [{"input", "axis", "parts", "by",
"line"}], "paths": [{"output", "input", "split", "reduced"}]}`, as `judge.model.outcome.Facts` explains.
"""
