"""Shares on screen, rounded in one way."""


def percent(part: int, whole: int, digits: int = 1) -> float:
    """``part`` of ``whole`` in per cent, half rounded up, but 100 only where it is all of it; 0 of nothing."""
    if not whole:
        return 0.0
    unit: int = 10**digits
    rounded = (200 * unit * part + whole) // (2 * whole)
    return (rounded if part == whole else min(rounded, 100 * unit - 1)) / unit
