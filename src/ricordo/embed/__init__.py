"""Embedding models: contract and players."""
