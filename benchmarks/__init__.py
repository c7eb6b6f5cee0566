"""What the figures of the README come from; anyone can run them: `python -m benchmarks.pools`."""
