"""The one table of operations: every surface that speaks of an operation reads it here.

An operation has a name, a request, a response, the permission that it needs,
and whether it only reads, destroys, or may be repeated without harm. HTTP, MCP
and the command line parse a request, call `run`, and render the response. The
permission is checked by the engine; it stands here so that surfaces can say it.

Each group of operations has a file with its requests and its part of the table;
`table.py` puts the parts together.
"""

from ricordo.operations.operation import Nothing, Operation, Paging, Receipts
from ricordo.operations.table import BY_NAME, OPERATIONS
from ricordo.operations.workspaces import WorkspaceInfo, Workspaces

__all__ = [
    "BY_NAME",
    "OPERATIONS",
    "Nothing",
    "Operation",
    "Paging",
    "Receipts",
    "WorkspaceInfo",
    "Workspaces",
]
