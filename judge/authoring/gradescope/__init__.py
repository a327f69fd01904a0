"""`judge bundle gradescope`: the zip that a Gradescope assignment takes as its autograder."""

from judge.authoring.gradescope.bundle import pack

__all__ = ["pack"]
