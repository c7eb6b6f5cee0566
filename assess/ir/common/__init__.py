"""Row types, problems with files, figures."""
