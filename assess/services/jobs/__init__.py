"""Jobs: submitted, claimed, watched, ended."""
