"""Visual ids of formulas."""
