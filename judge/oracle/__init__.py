"""The author's code, run in a process of its own: `client` on this side, `worker` on the other."""
