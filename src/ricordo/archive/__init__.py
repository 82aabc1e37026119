"""The authoritative store: contract, tables, migrations and players."""
