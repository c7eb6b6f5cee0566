"""Percentages on screen, all rounded alike."""


def percent(part: int, whole: int, digits: int = 1) -> float:
    """``part`` of ``whole`` in percent, rounded half up, but 100 only if they are equal; 0 if ``whole`` is 0."""
    if not whole:
        return 0.0
    unit: int = 10**digits
    rounded = (200 * unit * part + whole) // (2 * whole)
    return (rounded if part == whole else min(rounded, 100 * unit - 1)) / unit
