"""Makes a Dask worker one whose kernel lends neither Landlock nor bubblewrap: `--preload` runs this before any other thread."""

from __future__ import annotations

import errno

import pyseccomp

refuses = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
refuses.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "landlock_create_ruleset")
refuses.add_rule(pyseccomp.ERRNO(errno.EPERM), "mount")
refuses.load()
