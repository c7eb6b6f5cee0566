"""Runs that organizers make themselves, so that the pool is more diverse (ARQMath-1 to 3). Each module ranks documents
for topics and returns rows (`search.ScoredDocument`); nothing here reads or stores files."""
