"""The judging desk, and what organizers see of the judging."""
