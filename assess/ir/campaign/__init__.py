"""Presets, and the words assessors judge by."""
