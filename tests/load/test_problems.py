"""Problem folders: the good ones load; of the bad ones every fault is told at once, with file, line and remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.errors import Fault, FaultyFile, UsageError
from judge.load.problems import digest, find_root, load_problem, load_problems
from judge.model.problem import ArrayInput, Problem, Split
from tests.support import ROOT
from tests.support.tiny_problem import PROBLEM, SLUG, write_problem


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_problem(tmp_path)


def changed(folder: Path, old: str, new: str) -> tuple[str, int]:
    """The problem with one line changed: its new text, and the number of the line that changed."""
    assert PROBLEM.count(old) == 1, old
    text = PROBLEM.replace(old, new)
    (folder / "problem.yaml").write_text(text)
    return text, PROBLEM[: PROBLEM.index(old)].count("\n") + 1


def faults(folder: Path) -> tuple[Fault, ...]:
    with pytest.raises(FaultyFile) as raised:
        load_problem(folder)
    return raised.value.faults


def test_the_problem_loads_with_everything_that_it_says(folder: Path) -> None:
    problem = load_problem(folder)
    assert (problem.slug, problem.spec.devices, problem.folder) == (SLUG, 2, folder)
    described = problem.spec.inputs["x"]
    assert isinstance(described, ArrayInput) and described.shape == ("N", "D")
    assert problem.spec.outputs["rows"].placement == Split(split=0)
    assert len(problem.spec.cases) == 4
    assert "{{ examples }}" in problem.statement


@pytest.mark.parametrize("slug", [path.parent.name for path in sorted((ROOT / "problems").glob("*/problem.yaml"))])
def test_a_problem_that_comes_with_the_judge_is_consistent(slug: str, tmp_path: Path) -> None:
    copy = shutil.copytree(ROOT / "problems" / slug, tmp_path / slug)
    (copy / "statement.md").touch()
    assert load_problem(copy).slug == slug


#: What is changed, into what, and what the fault and its remedy must say.
WRONG = [
    ("devices: 2\n", "devices: two\n", "devices", "integer"),
    ("devices: 2\n", "devices: 0\n", "devices", "greater than"),
    ("devices: 2\n", "devcies: 2\n", "devcies", "did you mean `devices`"),
    ("  D: {}\n", "  D: {mni: 1}\n", "dims.D.mni", "did you mean `min`"),
    ("dtype: float32, shape: [N, D], doc", "dtype: float31, shape: [N, D], doc", "float31", "float32"),
    (
        "x: {dtype: float32, shape: [N, D], doc",
        "x: {dtype: float32, shape: [N, E], doc",
        "`E` is not a dim",
        "choose from",
    ),
    ("scale: {type: float,", "scale: {type: real,", "real", "float"),
    (
        "rows: {dtype: [float32], shape: [N],",
        "rows: {dtype: [float32], shape: [M],",
        "`M` is not a dim",
        "choose from N, D",
    ),
    ("placement: {split: 0}", "placement: {split: 3}", "has no axis 3", "split an axis"),
    ("placement: {split: 0}", "placement: {spilt: 0}", "spilt", "did you mean `split`"),
    ("placement: replicated", "placement: everywhere", "placement", "replicated"),
    (
        "split: {inputs: [x], by: manual}",
        "split: {inputs: [y], by: manual}",
        "`y` is not an array input",
        "choose from",
    ),
    ("outputs: [mean]}", "outputs: [maen]}", "`maen` is not an output", "did you mean `mean`"),
    ("limits: {call_s: 2", "limits: {cal_s: 2", "cal_s", "did you mean `call_s`"),
    ("limits: {call_s: 2", "limits: {call_s: -2", "call_s", "greater than"),
    ("  - name: zero-scale", "  - name: by-hand", "two cases are named by-hand", "rename"),
    ("  - name: zero-scale", "  - name: Zero Scale", "cases[2].name", "pattern"),
    ("    category: a scale of zero\n", "", "zero-scale has no category", "without a number"),
    ("[7, 12]], scale: 0.5}", "[7]], scale: 0.5}", "rows of different lengths", "float32 array of shape [N, D]"),
    ("[7, 12]], scale: 0.5}", "[7, 12], [1, 2]], scale: 0.5}", "N is 5", "multiple of 2"),
    ("[7, 12]], scale: 0.5}", "[7, .nan]], scale: 0.5}", "nan", "nested lists"),
    ("[7, 12]], scale: 0.5}", "[7, 12]], scale: .inf}", "not a finite number", "give a number"),
    ("[7, 12]], scale: 0.5}", "[7, 12]], scael: 0.5}", "`scale` is missing", "give every input"),
    ("[7, 12]], scale: 0.5}", "[7, 12]], scale: true}", "not a finite number", "give a number"),
    ("outputs: {mean: [2, 3], rows", "outputs: {maen: [2, 3], rows", "output `mean` is missing", "add it"),
    ("outputs: {mean: [2, 3], rows", "outputs: {mean: 2, rows", "`mean` has 0 axes", "its shape is [D]"),
    ("outputs: {mean: [2, 3], rows", "outputs: {mean: [a, b], rows", "no array of finite numbers", "nested lists"),
    ("{dims: {N: 6, D: 3}", "{dims: {N: 7, D: 3}", "N is 7", "multiple of 2"),
    ("{dims: {N: 6, D: 3}", "{dims: {N: 6}", "dim `D` has no size", "every dim"),
    ("{dims: {N: 6, D: 3}", "{dims: {N: 6, D: 3, E: 1}", "`E` is not a dim", "choose from"),
    ("values: {scale: [0.25]}", "values: {scale: [1, 2, 3, 4, 5]}", "more than 4 combinations", "one or two"),
    ("values: {scale: [0.25]}", "values: {sclae: [0.25]}", "`sclae`", "did you mean `scale`"),
    ("values: {scale: [0.25]}", "values: {}", "`scale` has no value", "one or two values"),
    ("ranges: {x: {min: -2, max: 2, offset", "ranges: {x: {min: 2, max: -2, offset", "min 2 is above max -2", "swap"),
    ("ranges: {x: {min: -2, max: 2, offset", "ranges: {x: {share: 0.5, offset", "x.share", "does not go with"),
    ("placement: replicated", "placement: {split: -1}", "placement.split", "greater than or equal to 0"),
    ("ranges: {x: {min: -2, max: 2}}", "ranges: {y: {min: -2, max: 2}}", "`x` has no range", "every array"),
    ("  - {name: every_shard_matters", "  - {name: every_shard_counts", "every_shard_counts", "every_shard_matters"),
    ("matters, inputs: [x]}", "matters, inputs: [z]}", "`z` is not an input", "choose from"),
    ("matters, inputs: [x]}", "matters}", "every_shard_matters needs `inputs`", "add it"),
    ("title: Scaled means of rows\n", "", "`title` is missing", "add it"),
    ("title: Scaled means of rows\n", "title: [a, b]\n", "title", "string"),
    ("title: Scaled means of rows\n", "title: &a Scaled\n", "anchor", "write the values out"),
    ("title: Scaled means of rows\n", "title: !!python/name:os.system x\n", "tag", "remove the tag"),
    ("title: Scaled means of rows\n", "title: a\ntitle: b\n", "title is given twice, first on line 1", "keep one"),
    ("title: Scaled means of rows\n", "title: a: b\n", "not YAML", "correct the syntax"),
    ("title: Scaled means of rows\n", "1: a\ntitle: b\n", "not a name", "quotes"),
    ("  D: {}\n", "\tD: {}\n", "tab", "indent with spaces"),
    ("  cases: 24\n", "  cases: 0x10\n", "0x10", "plain decimal digits"),
    ("  cases: 24\n", "  cases: 99999999\n", "fuzz.cases", "less than"),
]


@pytest.mark.parametrize(("old", "new", "message", "remedy"), WRONG)
def test_a_fault_is_told_with_file_line_and_remedy(folder: Path, old: str, new: str, message: str, remedy: str) -> None:
    text, _ = changed(folder, old, new)
    found = faults(folder)
    told = next((one for one in found if message in one.message), None)
    assert told is not None, found
    assert told.file == folder / "problem.yaml"
    assert told.line is not None and 1 <= told.line <= text.count("\n") + 1
    assert remedy in told.remedy
    assert str(told).startswith(f"{folder / 'problem.yaml'}:{told.line}: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [one[:2] for one in WRONG if one[1] and not one[0].startswith(("    category", "title")) and "{}" not in one[1]],
)
def test_a_fault_stands_on_the_line_that_was_changed_or_on_that_of_the_key_around_it(
    folder: Path, old: str, new: str
) -> None:
    text, first = changed(folder, old, new)
    lines = [one.line for one in faults(folder)]
    last = first + new.rstrip("\n").count("\n")
    # A block that lacks something is named where it begins.
    begin = next(
        number for number in range(first, 0, -1) if not text.splitlines()[number - 1].startswith("    ") or number == 1
    )
    assert any(line is not None and begin <= line <= last + 1 for line in lines), lines


def test_all_faults_of_a_file_are_told_at_once(folder: Path) -> None:
    text = PROBLEM
    for old, new in (
        ("placement: {split: 0}", "placement: {split: 3}"),
        ("{dims: {N: 6, D: 3}", "{dims: {N: 7, D: 3}"),
        ("matters, inputs: [x]}", "matters, inputs: [z]}"),
        ("outputs: [mean]}", "outputs: [maen]}"),
    ):
        text = text.replace(old, new)
    (folder / "problem.yaml").write_text(text)
    (folder / "oracle.py").unlink()
    found = faults(folder)
    for part in ("no axis 3", "N is 7", "`z` is not an input", "`maen` is not an output", "the file is missing"):
        assert any(part in one.message for one in found), (part, found)


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("placement: replicated", "placement: everywhere", 1),
        ("placement: {split: 0}", "placement: {split: -1}", 1),
        ("shape: [N, D], doc", "shape: [N, 2.5], doc", 1),
        ("values: {scale: [0.25]}", "values: {scale: [a]}", 1),
    ],
)
def test_a_value_that_no_form_allows_is_told_once(folder: Path, old: str, new: str, count: int) -> None:
    changed(folder, old, new)
    assert len(faults(folder)) == count


def test_all_keys_that_do_not_fit_their_models_are_told_at_once(folder: Path) -> None:
    text = (
        PROBLEM.replace("devices: 2", "devices: many")
        .replace("call_s: 2", "call_z: 2")
        .replace("cases: 24", "cases: no")
    )
    (folder / "problem.yaml").write_text(text)
    assert {one.line for one in faults(folder)} >= {
        text[: text.index(part)].count("\n") + 1 for part in ("many", "call_z", "cases: no")
    }


@pytest.mark.parametrize("name", ["statement.md", "starter.py", "oracle.py", "mistakes.py", "problem.yaml"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (fault,) = faults(folder)
    assert (fault.file, fault.line, fault.message) == (folder / name, None, "the file is missing")
    assert name in fault.remedy


@pytest.mark.parametrize("name", ["statement.md", "problem.yaml"])
def test_a_file_that_is_not_utf8_is_told_with_its_line(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"a: 1\nb: \xe9\n")
    (fault,) = faults(folder)
    assert (fault.file, fault.line, fault.remedy) == (folder / name, 2, "save the file as UTF-8")


@pytest.mark.parametrize("content", ["", "# nothing\n", "- a\n- b\n", "word\n", "null\n"])
def test_a_file_without_keys_says_so(folder: Path, content: str) -> None:
    (folder / "problem.yaml").write_text(content)
    (fault,) = faults(folder)
    assert fault.line == 1 and "where keys belong" in fault.message


def test_a_folder_in_capitals_is_no_slug(tmp_path: Path) -> None:
    (fault,) = faults(write_problem(tmp_path, "Row_Means"))
    assert "is no slug" in fault.message and "small letters" in fault.remedy


def test_a_broken_problem_does_not_take_the_others_along(tmp_path: Path) -> None:
    write_problem(tmp_path)
    (write_problem(tmp_path, "broken") / "problem.yaml").write_text("title: [")
    (tmp_path / "no-problem").mkdir()
    good, faulty = load_problems(tmp_path)
    assert (set(good), set(faulty)) == ({SLUG}, {"broken"})


@pytest.mark.parametrize("name", ["problem.yaml", "oracle.py", "mistakes.py", "statement.md"])
def test_every_file_that_decides_a_verdict_is_in_the_digest(folder: Path, name: str) -> None:
    before = digest(folder)
    with (folder / name).open("a") as file:
        file.write("\n# one more line\n")
    assert digest(folder) != before


def test_what_decides_nothing_is_not_in_the_digest(folder: Path) -> None:
    before = digest(folder)
    (folder / "starter.py").write_text("# other\n")
    (folder / "notes.txt").write_text("mine")
    assert digest(folder) == before


def test_problems_are_found_here_and_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_problem(tmp_path / "problems")
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert find_root(None) == tmp_path / "problems"
    assert find_root(tmp_path / "a") == tmp_path / "a"
    with pytest.raises(UsageError, match="--problems"):
        find_root(tmp_path / "nowhere")


def test_without_problems_around_those_of_the_judge_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (find_root(None) / "shard-map-step" / "problem.yaml").exists()


words = st.sampled_from(
    [*"{}[]:,-&*!|>#%@`'\"\n\t ", *PROBLEM.split(), "  ", "\n  ", "\n- ", "? ", "<<: ", "\x00", "\udc80", "é"]
)


def _loads_or_is_faulty(folder: Path, write: Callable[[Path], object]) -> None:
    write(folder / "problem.yaml")
    try:
        assert isinstance(load_problem(folder), Problem)
    except FaultyFile as fault:
        assert fault.faults
        assert all(one.remedy and (one.line is None or one.line >= 1) for one in fault.faults)


any_text = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@any_text
@given(
    content=st.binary(max_size=200)
    | st.lists(words, max_size=60).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass"))
)
def test_any_text_is_a_problem_or_a_faulty_file_and_nothing_else(folder: Path, content: bytes) -> None:
    _loads_or_is_faulty(folder, lambda file: file.write_bytes(content))


@any_text
@given(start=st.integers(0, len(PROBLEM)), length=st.integers(0, 40), word=words)
def test_the_problem_with_any_piece_replaced_is_a_problem_or_a_faulty_file(
    folder: Path, start: int, length: int, word: str
) -> None:
    text = PROBLEM[:start] + word + PROBLEM[start + length :]
    _loads_or_is_faulty(folder, lambda file: file.write_bytes(text.encode("utf-8", "surrogatepass")))


@any_text
@given(
    line=st.integers(0, PROBLEM.count("\n") - 1),
    value=st.sampled_from(
        ["", "[]", "{}", "null", "true", "-1", "1e999", ".nan", "x", "[x, x]", "{a: {b: c}}", "99999999999999999999"]
    ),
)
def test_the_problem_with_any_value_replaced_is_a_problem_or_a_faulty_file(folder: Path, line: int, value: str) -> None:
    lines = PROBLEM.splitlines()
    lines[line] = f"{lines[line].partition(':')[0]}: {value}"
    _loads_or_is_faulty(folder, lambda file: file.write_text("\n".join(lines)))


def test_a_file_that_grows_under_expansion_or_nesting_is_refused_at_once(folder: Path) -> None:
    for content in (
        "a: &a [x, x]\nb: [*a, *a]\n",
        "a: " + "[" * 5000 + "]" * 5000,
        "a: " + "{b: " * 40 + "}" * 40,
        "a" * (2 << 20),
    ):
        (folder / "problem.yaml").write_text(content)
        assert faults(folder)


def test_a_folder_or_a_link_to_nowhere_instead_of_a_file_is_a_fault(folder: Path) -> None:
    (folder / "oracle.py").unlink()
    (folder / "oracle.py").mkdir()
    (folder / "mistakes.py").unlink()
    (folder / "mistakes.py").symlink_to("nowhere")
    assert {one.file.name for one in faults(folder)} == {"oracle.py", "mistakes.py"}
