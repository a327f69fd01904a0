"""The author's tools: a problem is tested like a program, and its cases like a test suite."""
