"""Collections, threads and pictures."""
