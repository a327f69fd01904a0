"""An autograder for distributed JAX: it grades the exported program, not the Python that made it."""

__version__ = "0.1.0"
