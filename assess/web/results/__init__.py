"""Agreement, releases and scores."""
