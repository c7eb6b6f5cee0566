"""The science of a test collection: rows in, rows out, without Django or a database."""
