"""What the pages of every room use."""
