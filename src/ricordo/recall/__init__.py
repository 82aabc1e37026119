"""From a question to verified answers: one pipeline for every kind of record."""
