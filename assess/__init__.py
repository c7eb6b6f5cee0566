"""Assess: from submitted runs to a test collection that others can trust."""
