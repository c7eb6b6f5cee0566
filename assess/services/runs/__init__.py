"""Runs: imported, or made here as baselines."""
