"""Pages of runs and baselines."""
