"""Who is calling, and what they may do."""

from __future__ import annotations

from enum import StrEnum

from ricordo.errors import Forbidden
from ricordo.records.base import Name, Value


class Permission(StrEnum):
    """What an operation needs."""

    READ = "memory.read"
    WRITE = "memory.write"
    REVIEW = "memory.review"
    MANAGE = "memory.manage"
    ADMIN = "workspace.admin"


class Principal(Value):
    """The caller of an operation.

    Attributes:
        id: Stands in history entries.
        role: For grants; comes from the caller's credentials, never from an argument.
        permissions: What this caller may do.
    """

    id: Name
    role: Name | None = None
    permissions: frozenset[Permission] = frozenset()

    def require(self, permission: Permission) -> None:
        """Raise `Forbidden` unless this principal has the permission."""
        if permission not in self.permissions:
            raise Forbidden(
                f"'{self.id}' lacks the permission '{permission}'.",
                cure="Ask the workspace's administrator for it.",
                permission=str(permission),
            )


OWNER = Principal(id="owner", permissions=frozenset(Permission))
"""The owner of an embedded archive's file, who is its administrator."""
