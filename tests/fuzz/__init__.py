"""Property-based fuzzing of every path, form, upload and API field: no server error, no partial import, no job that
does not end. On PostgreSQL, which refuses what SQLite takes."""
