"""From judgments to agreement, qrels and scores."""
