"""Operations on facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ricordo.archive.contract import Stored
from ricordo.engine.engine import Bound
from ricordo.engine.held import (
    check_revision,
    drop,
    find,
    first_revision,
    next_revision,
    read_history,
    read_one,
)
from ricordo.engine.saving import receipts
from ricordo.engine.staging import stage_alone
from ricordo.engine.validation import (
    batch,
    checked,
    name_text,
    named_changes,
    page_limit,
    reason_text,
    revision_seen,
    value_of,
)
from ricordo.errors import InvalidInput
from ricordo.records.base import MAX_BATCH, Kind
from ricordo.records.fact import Fact, FactChanges, FactDraft, initial_confidence
from ricordo.records.filters import Filters
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Receipt, Removal


class Facts(Bound):
    """Facts of one workspace."""

    def add(self, content: str, *, defer: bool = False, **fields: Any) -> Receipt:
        """Add one fact.

        Args:
            content: The statement.
            defer: Leave the vector to the worker instead of making it in this call.
            **fields: As `FactDraft`: domain, topic, confidence, memory_type, veracity, sources,
                tags, agent, role, valid_from, valid_until.
        """
        return self.add_many([{"content": content, **fields}], defer=defer)[0]

    def add_many(
        self, facts: Iterable[Mapping[str, Any] | FactDraft], *, defer: bool = False
    ) -> tuple[Receipt, ...]:
        """Add facts, all or none.

        Args:
            facts: As `FactDraft`; at most 10,000.
            defer: Leave vectors to the worker; more than 8 always are.

        Returns:
            One receipt a fact, in order.
        """
        self.principal.require(Permission.WRITE)
        items = batch(facts, "facts", MAX_BATCH)
        drafts = [value_of(FactDraft, item) for item in items]
        records = [self._record(draft) for draft in drafts]
        with self.engine.archive.write(self.workspace) as writer:
            nums = writer.add(Kind.FACT, records)
            saved = [Stored(num, record) for num, record in zip(nums, records, strict=True)]
            queued = stage_alone(self, writer, saved, fresh=True)
        return receipts(self, Kind.FACT, saved, defer=defer, queued=queued)

    def _record(self, draft: FactDraft) -> Fact:
        now = self.engine.clock()
        fields = {name: getattr(draft, name) for name in FactDraft.model_fields}
        fields["confidence"] = initial_confidence(draft.veracity, draft.confidence)
        return Fact.of(
            **first_revision(self, Kind.FACT, now),
            recorded_at=now,
            mention_count=1,
            recall_count=0,
            last_recalled_at=None,
            superseded_by=None,
            superseded_at=None,
            **fields,
        )

    def get(self, fact_id: str) -> Fact:
        """The fact with this id.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.READ)
        return read_one(self, Fact, fact_id)

    def list(
        self,
        *,
        domain: str | None = None,
        topic: str | None = None,
        tags: Sequence[str] = (),
        since: Any = None,
        until: Any = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Fact]:
        """Facts in the order in which they were recorded.

        Args:
            domain, topic, tags, since, until: As in `Filters`.
            limit: 1..1000.
            cursor: `next_cursor` of the page before.
        """
        self.principal.require(Permission.READ)
        filters = checked(
            Filters, {"domain": domain, "topic": topic, "tags": tags, "since": since, "until": until}
        )
        with self.engine.archive.read(self.workspace) as reader:
            return reader.page(Kind.FACT, filters, limit=page_limit(limit), cursor=cursor)

    def update(
        self,
        fact_id: str,
        changes: Mapping[str, Any],
        *,
        revision: int | None = None,
        reason: str | None = None,
        defer: bool = False,
    ) -> Receipt:
        """Change the named fields of a fact; fields that are not named stay as they are.

        Args:
            fact_id: Its id.
            changes: As `FactChanges`.
            revision: The revision that the change was made from; checked where given.
            reason: Stands in the history.
            defer: Leave the vector to the worker.

        Raises:
            StaleRevision: It has changed since.
        """
        self.principal.require(Permission.WRITE)
        fact_id = name_text(fact_id, "fact_id")
        reason, revision = reason_text(reason), revision_seen(revision)
        named = named_changes(FactChanges, changes)
        for name in ("content", "domain", "topic", "memory_type", "veracity"):
            if name in named and named[name] is None:
                raise InvalidInput(f"'{name}': must not be empty.", field=name)
        with self.engine.archive.write(self.workspace) as writer:
            stored, record = find(writer, Fact, fact_id)
            check_revision(record, revision)
            revised = self._revised(record, named)
            writer.replace(stored, revised, reason=reason)
            saved = [Stored(stored.num, revised)]
            queued = stage_alone(self, writer, saved, fresh=False)
        return receipts(self, Kind.FACT, saved, defer=defer, queued=queued, created=False)[0]

    def _revised(self, record: Fact, named: dict[str, Any]) -> Fact:
        veracity = named.get("veracity", record.veracity)
        if "confidence" in named or "veracity" in named:
            explicit = named.get("confidence", record.confidence)
            named["confidence"] = initial_confidence(veracity, explicit)
        if named.get("valid_from", record.valid_from) and named.get("valid_until", record.valid_until):
            checked(
                FactChanges,
                {
                    "valid_from": named.get("valid_from", record.valid_from),
                    "valid_until": named.get("valid_until", record.valid_until),
                },
            )
        return next_revision(self, record, named)

    def delete(self, fact_id: str) -> Removal:
        """Delete a fact from archive and index.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.WRITE)
        fact_id = name_text(fact_id, "fact_id")
        with self.engine.archive.write(self.workspace) as writer:
            return drop(self, writer, find(writer, Fact, fact_id)[0])

    def history(self, fact_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[HistoryEntry]:
        """Revisions of a fact, newest first; also of a deleted one."""
        self.principal.require(Permission.READ)
        return read_history(self, Kind.FACT, fact_id, limit=limit, cursor=cursor)
