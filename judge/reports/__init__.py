"""One format a file; each is a function from records to text, and all of them go through `redact`."""
