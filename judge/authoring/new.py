"""`judge new`: a small problem that verifies, to be changed into one's own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from judge.errors import UsageError
from judge.load.problems import SLUG

TEMPLATE = Path(__file__).resolve().parent / "template"
#: What template files end with, so that no tool takes a template for code of the judge.
SUFFIX = ".txt"


def new_problem(root: Path, slug: str) -> Path:
    """Write a complete problem into `root / slug` and return that folder.

    Raises:
        UsageError: the slug is none, the folder exists, or nothing can be written.
    """
    if not SLUG.fullmatch(slug):
        raise UsageError(f"{slug!r} is no slug; use small letters, digits and single dashes, such as ring-reduce")
    folder = root / slug
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} exists and is left as it is; choose another slug")
    title = slug.replace("-", " ").capitalize()
    try:
        root.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: the folder gets its name when every file is in it.
        with tempfile.TemporaryDirectory(prefix=".new-", dir=root) as made:
            _fill(Path(made) / slug, title, slug)
            (Path(made) / slug).rename(folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}; choose another place") from error
    return folder


def _fill(folder: Path, title: str, slug: str) -> None:
    shutil.copytree(TEMPLATE, folder)
    for file in sorted(folder.rglob(f"*{SUFFIX}")):
        text = file.read_text(encoding="utf-8").replace("TITLE", title).replace("SLUG", slug)
        file.with_suffix("").write_text(text, encoding="utf-8")
        file.unlink()
