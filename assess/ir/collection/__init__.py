"""The HTML of posts and the formulas in it."""
