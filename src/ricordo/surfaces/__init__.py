"""Ways in: command line, HTTP, MCP. Each parses, calls `Memory`, and renders; none calls another."""
