"""What each command does with its arguments: one module a kind of user. Nothing heavy is imported at the top."""
