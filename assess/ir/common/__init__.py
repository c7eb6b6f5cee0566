"""Row types, problems with files, percentages."""
