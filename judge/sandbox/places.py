"""Which files a sandbox needs: the interpreter, JAX's packages, the system's libraries, and the runner. Nothing else."""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import judge
from judge.errors import UsageError
from judge.sandbox.settings import SandboxSettings

#: Read by the dynamic loader, by Python, and by XLA when it counts cores and caches.
SYSTEM = (
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo",
    "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
    "/dev/random", "/dev/urandom", "/dev/zero",
)  # fmt: skip
WRITTEN = ("/dev/null",)
#: Parts of a prefix of Python. A virtual environment may share its folder with a project, so not the whole of it.
PARTS = ("bin", "lib", "lib64", "pyvenv.cfg", "Lib", "DLLs")
NEEDED = ("jax", "jaxlib", "numpy", "ml_dtypes", "opt_einsum", "scipy", "flatbuffers", "pyseccomp")


@dataclass(frozen=True, slots=True)
class Places:
    """Absolute paths.

    Attributes:
        trees: readable with all they hold; no links.
        links: (path, what it points to): links that lead to one of the others.
        packages: folders of packages: readable, but for a judge that is installed there.
        root: what holds the package `judge`.
        runner: the files of `judge` that a child may read.
        paths: to be added to the module path of the isolated interpreter.
    """

    trees: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    packages: tuple[str, ...]
    root: str
    runner: tuple[str, ...]
    paths: tuple[str, ...]

    def everything(self) -> tuple[str, ...]:
        return (*self.trees, *self.packages, *self.runner)


def places(settings: SandboxSettings) -> Places:
    """Find them for an interpreter.

    Raises:
        UsageError: the interpreter cannot be asked, or has no JAX.
    """
    prefixes, packages = _python(settings.python)
    package = Path(judge.__file__).resolve().parent
    extra = [str(path.resolve()) for path in settings.paths]
    named = [os.path.join(prefix, part) for prefix in prefixes for part in PARTS]
    named = [path for path in (*named, *SYSTEM, *extra) if os.path.exists(path)]
    trees = _outermost([os.path.realpath(path) for path in named])
    return Places(
        trees=tuple(_without(trees, packages)),
        links=tuple((path, os.readlink(path)) for path in named if os.path.islink(path) and os.path.isdir(path)),
        packages=packages,
        root=str(package.parent),
        runner=(str(package / "__init__.py"), str(package / "runner")),
        paths=tuple(dict.fromkeys([*packages, *extra])),
    )


def _outermost(paths: list[str]) -> list[str]:
    unique = list(dict.fromkeys(paths))
    return [path for path in unique if not any(path.startswith(other + os.sep) for other in unique)]


def _without(trees: list[str], packages: tuple[str, ...]) -> list[str]:
    """`trees` with every folder on the way to one of `packages` replaced by its other entries.

    Links among those are left out: they could lead back. Rules of Landlock add up: what a folder allows cannot be taken
    back further down, and the judge may be installed there.
    """
    found: list[str] = []
    for tree in trees:
        if tree in packages:
            continue
        if any(package.startswith(tree + os.sep) for package in packages):
            found += _without([entry.path for entry in os.scandir(tree) if not entry.is_symlink()], packages)
        else:
            found.append(tree)
    return found


@lru_cache(maxsize=8)
def _python(python: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Prefixes, and folders of packages, of an interpreter."""
    if python == Path(sys.executable):
        origins = {name: _origin(name) for name in NEEDED}
        prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    else:
        prefixes, origins = _asked(python)
    if not origins["jax"] or not origins["jaxlib"]:
        raise UsageError(f"{python} has no JAX; run: {python} -m pip install jax")
    # A package lies one folder deeper than a single module.
    found = [
        Path(origin).parents[1 if Path(origin).name == "__init__.py" else 0] for origin in origins.values() if origin
    ]
    return tuple(dict.fromkeys(prefixes)), tuple(dict.fromkeys(os.path.realpath(folder) for folder in found))


def _origin(name: str) -> str:
    # find_spec of a top-level name looks for the file and imports nothing.
    spec = importlib.util.find_spec(name)
    return str(spec.origin) if spec is not None and spec.origin else ""


def _asked(python: Path) -> tuple[list[str], dict[str, str]]:
    code = (
        "import importlib.util as u, json, sys; s = {n: u.find_spec(n) for n in sys.argv[1:]}; "
        "print(json.dumps([[sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix], "
        "{n: m.origin if m and m.origin else '' for n, m in s.items()}]))"
    )
    try:
        said = subprocess.run(
            [python, "-I", "-c", code, *NEEDED], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"{python} cannot be used as the interpreter of the sandbox: {error}") from None
    prefixes, origins = json.loads(said.stdout)
    return list(prefixes), dict(origins)


def closed(path: str, *, whole_way: bool) -> str | None:
    """The first part of a path that another user cannot pass or read; None where there is none.

    Args:
        path: absolute.
        whole_way: look at its parents too. Inside bubblewrap they are new, empty and open.
    """
    parents = [str(parent) for parent in reversed(Path(path).parents)] if whole_way else []
    for part in (*parents, path):
        try:
            mode = os.stat(part).st_mode
        except OSError:
            continue
        wanted = stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH
        if not mode & wanted:
            return part
    # A link leads somewhere else, with parents of its own.
    real = os.path.realpath(path)
    return closed(real, whole_way=whole_way) if real != path else None
