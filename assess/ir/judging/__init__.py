"""Who sees what in which order."""
