"""The embedded archive: one SQLite file."""
