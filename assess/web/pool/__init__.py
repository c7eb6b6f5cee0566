"""Pages of the pool, its plan, extension and report."""
