"""The rebuildable search projection: contract, text analysis, projector and players."""
