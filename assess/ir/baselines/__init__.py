"""Runs that organizers make themselves, so that a pool holds more than what participants sent (ARQMath-1 to 3).

Each module ranks documents for topics and gives plain rows (`search.Scored`); nothing here reads or stores files.
"""
