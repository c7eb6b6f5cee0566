"""Assignments, judgments, rulings and progress."""
