"""Bringing conversations and cards in from files, cards out again, and what an import reports."""
