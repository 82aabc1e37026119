"""Workspaces: each is a memory of its own."""

from __future__ import annotations

from pydantic import Field

from ricordo.memory import Memory
from ricordo.operations.operation import Nothing, Operation
from ricordo.records.base import Moment, Name, Value
from ricordo.records.principal import Permission
from ricordo.records.workspace import Workspace


class WorkspaceInfo(Value):
    """A workspace."""

    name: str
    language: str
    created_at: Moment


class Workspaces(Value):
    """All workspaces."""

    items: tuple[WorkspaceInfo, ...]


class CreateWorkspaceRequest(Value):
    """A workspace to be made."""

    name: Name
    language: str = Field(default="en", pattern="^(en|it)$")


def _workspaces(memory: Memory, request: Nothing) -> Workspaces:
    del request
    return Workspaces(items=tuple(map(_info, memory.workspaces())))


def _info(workspace: Workspace) -> WorkspaceInfo:
    return WorkspaceInfo(
        name=workspace.name, language=str(workspace.language), created_at=workspace.created_at
    )


def _create_workspace(memory: Memory, request: CreateWorkspaceRequest) -> WorkspaceInfo:
    made = memory.in_workspace(request.name, create=True, language=request.language)
    return _info(made.workspace)


WORKSPACES: tuple[Operation, ...] = (
    Operation(
        "list_workspaces",
        "List the archive's workspaces.",
        Nothing,
        Workspaces,
        Permission.READ,
        _workspaces,
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "create_workspace",
        "Make a workspace if it is not there.",
        CreateWorkspaceRequest,
        WorkspaceInfo,
        Permission.ADMIN,
        _create_workspace,
        idempotent=True,
    ),
)
