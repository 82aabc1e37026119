"""Measuring quality and speed on data that is handed in: `ricordo bench`."""
