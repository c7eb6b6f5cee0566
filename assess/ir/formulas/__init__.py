"""Which formulas look alike."""
