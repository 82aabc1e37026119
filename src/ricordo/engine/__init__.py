"""The operations of the memory: rules over archive, index and embedder."""
