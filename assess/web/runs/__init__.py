"""Runs and baselines."""
