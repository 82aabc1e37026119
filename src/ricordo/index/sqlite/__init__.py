"""The embedded index: keyword entries and vectors in the archive's own SQLite file."""
