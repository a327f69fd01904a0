"""What can be said of a trace: which values are the reference's, where they leave it, and what stands beside each line. Pure."""
