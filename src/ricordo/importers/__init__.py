"""Bringing conversations from elsewhere in: formats, and what an import reports."""
