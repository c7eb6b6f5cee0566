"""The pool, its planner, extension and reports."""
