"""The API: the same steps as the pages, for programs."""
