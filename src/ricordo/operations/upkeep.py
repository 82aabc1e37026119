"""Pending work, the index, and how the memory is doing."""

from __future__ import annotations

from pydantic import Field

from ricordo.memory import Memory
from ricordo.operations.operation import Nothing, Operation, Paging
from ricordo.records.base import Value
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.upkeep import Diagnosis, IndexReport, PendingReport, Status, VerifyReport
from ricordo.records.work import PendingItem


class RetryRequest(Value):
    """Which pending work."""

    item: int | None = Field(
        default=None, ge=1, le=2**63 - 1, description="Number of one item; all if omitted."
    )


class Retried(Value):
    """How many items are due now."""

    woken: int


class RebuildRequest(Value):
    """How to rebuild."""

    full: bool = Field(default=False, description="Rewrite everything, right or not.")


class VerifyRequest(Value):
    """How to verify."""

    repair: bool = Field(default=False, description="Mend what differs.")


class PendingPage(Value):
    """Work that is not done yet."""

    report: PendingReport
    page: Page[PendingItem]


def _pending(memory: Memory, request: Paging) -> PendingPage:
    page = memory.upkeep.pending(limit=request.limit, cursor=request.cursor)
    return PendingPage(report=memory.upkeep.pending_report(), page=page)


UPKEEP: tuple[Operation, ...] = (
    Operation(
        "list_pending",
        "Show deferred work that is not done yet.",
        Paging,
        PendingPage,
        Permission.READ,
        _pending,
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "retry_pending",
        "Make pending work due at once.",
        RetryRequest,
        Retried,
        Permission.MANAGE,
        lambda memory, request: Retried(woken=memory.upkeep.retry(request.item)),
        idempotent=True,
    ),
    Operation(
        "rebuild_index",
        "Make the index from the archive again.",
        RebuildRequest,
        IndexReport,
        Permission.MANAGE,
        lambda memory, request: memory.upkeep.rebuild(full=request.full),
        idempotent=True,
    ),
    Operation(
        "verify_index",
        "Compare the index with the archive, and mend it where asked.",
        VerifyRequest,
        VerifyReport,
        Permission.MANAGE,
        lambda memory, request: memory.upkeep.verify(repair=request.repair),
        idempotent=True,
    ),
    Operation(
        "status",
        "Say what the workspace holds.",
        Nothing,
        Status,
        Permission.READ,
        lambda memory, request: memory.doctor.status(),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "diagnose",
        "Check archive, index, embedder, pending work and versions.",
        Nothing,
        Diagnosis,
        Permission.READ,
        lambda memory, request: memory.doctor.diagnose(),
        read_only=True,
        idempotent=True,
    ),
)
