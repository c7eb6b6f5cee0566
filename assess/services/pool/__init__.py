"""Pools: planned, built, frozen, extended."""
