"""The statements of the archive in SQLAlchemy Core, shared by every SQL player."""
