"""Keyword entries in FTS5: one table per workspace and kind.

Columns: `own` and `context` are scored by BM25; `keys` holds filter keys and
the stop words, weighs nothing, and is asked for with AND, which FTS5 answers by
skipping through the shorter list.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from ricordo.archive.sql.chunks import chunks
from ricordo.archive.sql.prepared import run
from ricordo.errors import IndexDamaged
from ricordo.index.analysis import Question, Term
from ricordo.index.contract import Entry, Found, Projection, Where
from ricordo.index.projector import PROJECTION_FORMAT
from ricordo.index.sqlite.damage import named_damage, remove_damaged
from ricordo.index.sqlite.entries import bounds_of, entry_of, fulfils, key_terms, quoted, stored, table_name
from ricordo.records.base import Kind

OWN_WEIGHT = 2.0
CONTEXT_WEIGHT = 0.75
"""BM25 weights of the two columns; chosen as docs/benchmarks.md says."""

MATCH_BUDGET = 1500
"""About how many rows one question may score in FTS5, at a microsecond or more each."""

K1, B = 1.2, 0.75
"""BM25's constants in FTS5 (sqlite.org/fts5.html, section 5.1.1)."""

FREQUENCY_TTL_S = 60.0
"""How long a word's document frequency is taken from memory."""


class _Frequency(NamedTuple):
    documents: int
    read_at: float


class Lexical:
    """Keyword entries of all workspaces of one file.

    Args:
        context_weight: BM25 weight of the column `context`.
    """

    def __init__(self, context_weight: float = CONTEXT_WEIGHT) -> None:
        self._context_weight = float(context_weight)
        self._frequencies: dict[tuple[str, str], _Frequency] = {}

    def create(self, connection: Connection, workspace_num: int, kind: Kind) -> None:
        """Make the tables of a kind."""
        name = table_name(workspace_num, kind)
        connection.exec_driver_sql(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5(own, context, keys, revision UNINDEXED,"
            " format UNINDEXED, at UNINDEXED, holds_from UNINDEXED, holds_until UNINDEXED,"
            " tokenize='ascii')"
        )
        connection.exec_driver_sql(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {name}_terms USING fts5vocab({name}, 'row')"
        )

    def exists(self, connection: Connection, workspace_num: int, kind: Kind) -> bool:
        """Whether `create` was done."""
        statement = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)"
        name = table_name(workspace_num, kind)
        return connection.exec_driver_sql(statement, (name, f"{name}_terms")).scalar() == 2

    @named_damage
    def check(self, connection: Connection, workspace_num: int, kind: Kind) -> None:
        """Read every part through; see the contract."""
        name = table_name(workspace_num, kind)
        for statement in (
            f"SELECT count(*) FROM {name}_docsize",
            f"SELECT sum(length(own)) FROM {name}",
            f"SELECT sum(doc) FROM {name}_terms",
        ):
            connection.exec_driver_sql(statement).close()

    @named_damage
    def holds_any(self, connection: Connection, workspace_num: int, kind: Kind) -> bool:
        """Whether there is any entry."""
        name = table_name(workspace_num, kind)
        return connection.exec_driver_sql(f"SELECT 1 FROM {name}_docsize LIMIT 1").first() is not None

    def make_anew(self, connection: Connection, workspace_num: int, kind: Kind) -> None:
        """Put empty tables in the place of missing or damaged ones."""
        remove_damaged(connection, table_name(workspace_num, kind))
        self.create(connection, workspace_num, kind)
        self._frequencies.clear()

    @named_damage
    def put(
        self,
        connection: Connection,
        workspace_num: int,
        projections: Sequence[Projection],
        *,
        replace: bool = False,
    ) -> None:
        """Insert entries; with `replace`, in place of those that are there."""
        verb = "REPLACE" if replace else "INSERT"
        by_kind: dict[Kind, list[Entry]] = {}
        for projection in projections:
            by_kind.setdefault(projection.stamp.kind, []).append(entry_of(projection))
        for kind, rows in by_kind.items():
            connection.connection.cursor().executemany(
                f"{verb} INTO {table_name(workspace_num, kind)}"
                "(rowid, revision, format, own, context, keys, at, holds_from, holds_until)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    @named_damage
    def delete(self, connection: Connection, workspace_num: int, kind: Kind, nums: Iterable[int]) -> None:
        """Remove entries; those that are not there do no harm."""
        rows = [(num,) for num in nums]
        if rows:
            statement = f"DELETE FROM {table_name(workspace_num, kind)} WHERE rowid = ?"
            connection.exec_driver_sql(statement, rows)

    @named_damage
    def entries(
        self, connection: Connection, workspace_num: int, kind: Kind, nums: Sequence[int]
    ) -> list[Entry]:
        """The entries of these records."""
        name = table_name(workspace_num, kind)
        found: list[Entry] = []
        for part in chunks(nums):
            numbers = ",".join(str(int(num)) for num in part)
            found += [
                Entry(*row)
                for row in run(
                    connection,
                    "SELECT rowid, revision, format, own, context, keys, at, holds_from, holds_until"
                    f" FROM {name} WHERE rowid IN ({numbers})",
                )
            ]
        return found

    @named_damage
    def revisions(self, connection: Connection, workspace_num: int, kind: Kind) -> list[tuple[int, int]]:
        """Number and revision of every entry."""
        name = table_name(workspace_num, kind)
        rows = connection.exec_driver_sql(f"SELECT rowid, revision FROM {name} ORDER BY rowid")
        return [(int(num), int(revision)) for num, revision in rows]

    @named_damage
    def with_keys(self, connection: Connection, workspace_num: int, kind: Kind, where: Where) -> list[int]:
        """Numbers of the entries that have the keys asked for, rising."""
        name = table_name(workspace_num, kind)
        statement = f"SELECT rowid FROM {name} WHERE {name} MATCH ? ORDER BY rowid"
        return [num for (num,) in run(connection, statement, (" AND ".join(key_terms(where)),))]

    @named_damage
    def matching(
        self, connection: Connection, workspace_num: int, kind: Kind, question: Question
    ) -> list[int]:
        """Numbers of the entries that hold every word of the question, the last one perhaps begun only."""
        if not question.terms:
            return []
        name = table_name(workspace_num, kind)
        *whole, begun = question.terms
        words = [" OR ".join(quoted(form) for form in term.forms) for term in whole]
        words.append(" OR ".join(f"{quoted(form)} *" for form in begun.forms))
        match = " AND ".join(f"({word})" for word in words)
        match = f"{{own context}} : ({match})"
        if question.plain:
            match = (
                f"({match}) OR ("
                + " AND ".join(f"keys : {quoted('=' + word)}" for word in question.plain)
                + ")"
            )
        statement = f"SELECT rowid FROM {name} WHERE {name} MATCH ? ORDER BY rowid"
        return [num for (num,) in run(connection, statement, (match,))]

    @named_damage
    def eligible(
        self, connection: Connection, workspace_num: int, kind: Kind, where: Where, nums: Sequence[int]
    ) -> dict[int, int]:
        """Revisions of those of the entries that fulfil the conditions."""
        found: dict[int, int] = {}
        for entry in self.entries(connection, workspace_num, kind, nums):
            if entry.format == PROJECTION_FORMAT and fulfils(entry, where):
                found[entry.num] = entry.revision
        return found

    @named_damage
    def search(
        self,
        connection: Connection,
        workspace_num: int,
        kind: Kind,
        question: Question,
        where: Where,
        *,
        limit: int,
    ) -> list[Found]:
        """Candidates by BM25 over both columns; entries of another format count as not made yet."""
        if not question.terms:
            return []
        name = table_name(workspace_num, kind)
        asked: Sequence[Term] = question.terms
        left: Sequence[Term] = ()
        if not where.keys and not where.one_of and where.since is None and where.until is None:
            # What narrows the rows narrows the work: then all words may choose candidates.
            asked, left = self._within_budget(connection, name, question.terms)
        scores = self._matching(connection, name, asked, question, where, limit)
        if left and not scores:  # the conditions leave none of the rare ones
            scores, left = self._matching(connection, name, left, question, where, limit), ()
        if not scores:
            return []
        # Read for the best only: FTS5 would fetch the row of every match for it.
        columns = "format, revision, own, context" if left else "format, revision"
        numbers = ",".join(map(str, scores))
        rows = run(connection, f"SELECT rowid, {columns} FROM {name} WHERE rowid IN ({numbers})")
        entries = {num: columns for num, form, *columns in rows if form == PROJECTION_FORMAT}
        if not entries:
            raise IndexDamaged(
                f"The keyword entries of {kind}s were made in the format of another version.",
                cure="Run: ricordo index",
            )
        scores = {num: score for num, score in scores.items() if num in entries}
        if left:
            texts = {num: (own, context) for num, (_, own, context) in entries.items()}
            scores = self._with_left(connection, name, scores, texts, left)
        found = [Found(num, entries[num][0], score) for num, score in scores.items()]
        return sorted(found, key=lambda item: (-item.score, item.num)) if left else found

    def _matching(
        self,
        connection: Connection,
        name: str,
        terms: Sequence[Term],
        question: Question,
        where: Where,
        limit: int,
    ) -> dict[int, float]:
        """Scores of the best entries that hold any of the terms and fulfil the conditions, best first."""
        words = " OR ".join(quoted(form) for term in terms for form in term.forms)
        match = f"{{own context}} : ({words})"
        if question.plain:
            match = f"({match}) OR " + " OR ".join(f"keys : {quoted('=' + word)}" for word in question.plain)
        match = " AND ".join([f"({match})", *key_terms(where)])
        bounds, values = bounds_of(where)
        rows = run(
            connection,
            f"SELECT rowid, -bm25({name}, {OWN_WEIGHT}, {self._context_weight}, 0.0) AS score FROM {name}"
            f" WHERE {name} MATCH ?{bounds} ORDER BY score DESC, rowid LIMIT ?",
            (match, *values, limit),
        )
        return dict(rows)

    @named_damage
    def coverage(
        self, connection: Connection, workspace_num: int, kind: Kind, question: Question, nums: Sequence[int]
    ) -> dict[int, float]:
        """Share of the question's words, weighed by their rarity, that each entry holds."""
        name = table_name(workspace_num, kind)
        size = max(1, self._size(connection, name))
        weighed = [
            ({stored(form) for form in term.forms}, _rarity(size, self._documents(connection, name, term)))
            for term in question.terms
        ]
        total = sum(rarity for _, rarity in weighed)
        found: dict[int, float] = {}
        for entry in self.entries(connection, workspace_num, kind, nums):
            held = {*entry.own.split(), *entry.context.split()}
            plain = set(entry.keys.split())  # a question of stop words only is answered by any of them
            if any(stored(f"={word}") in plain for word in question.plain):
                held.update(form for forms, _ in weighed for form in forms)
            shared = sum(rarity for forms, rarity in weighed if forms & held)
            found[entry.num] = shared / total if total else 0.0
        return found

    def _within_budget(
        self, connection: Connection, name: str, terms: Sequence[Term]
    ) -> tuple[Sequence[Term], Sequence[Term]]:
        """The rarest terms that together match few enough rows, and those left for scoring only."""
        if self._size(connection, name) <= MATCH_BUDGET or len(terms) == 1:
            return terms, ()
        counted = sorted((self._documents(connection, name, term), term) for term in terms)
        asked: list[Term] = []
        total = 0
        for documents, term in counted:
            if documents == 0:
                continue
            if asked and total + documents > MATCH_BUDGET:
                break
            asked.append(term)
            total += documents
        left = [term for documents, term in counted if documents and term not in asked]
        return asked or terms[:1], left

    def _size(self, connection: Connection, name: str) -> int:
        """Number of entries; a large number is taken from memory for a while."""
        now = time.monotonic()
        held = self._frequencies.get((name, ""))
        if held is None or held.documents <= MATCH_BUDGET or now - held.read_at > FREQUENCY_TTL_S:
            (counted,) = run(connection, f"SELECT count(*) FROM {name}_docsize").fetchone()
            held = self._frequencies[name, ""] = _Frequency(counted, now)
        return held.documents

    def _documents(self, connection: Connection, name: str, term: Term) -> int:
        total = 0
        now = time.monotonic()
        for form in term.forms:
            held = self._frequencies.get((name, form))
            # What was nowhere may be somewhere by now, and must not be left out.
            if held is None or not held.documents or now - held.read_at > FREQUENCY_TTL_S:
                statement = f"SELECT doc FROM {name}_terms WHERE term = ?"
                (documents,) = run(connection, statement, (stored(form),)).fetchone() or (0,)
                if len(self._frequencies) > 50_000:
                    self._frequencies.clear()
                held = self._frequencies[name, form] = _Frequency(documents, now)
            total += held.documents
        return total

    def _with_left(
        self,
        connection: Connection,
        name: str,
        scores: dict[int, float],
        texts: dict[int, tuple[str, str]],
        left: Sequence[Term],
    ) -> dict[int, float]:
        """Add what the frequent terms, which were not searched for, say about the candidates."""
        words = {num: (own.split(), context.split()) for num, (own, context) in texts.items()}
        average = sum(len(own) + len(context) for own, context in words.values()) / max(1, len(words))
        size = max(1, self._size(connection, name))
        weights = [
            ([stored(form) for form in term.forms], _idf(size, self._documents(connection, name, term)))
            for term in left
        ]
        summed = {}
        for num, score in scores.items():
            own, context = words[num]
            norm = K1 * (1 - B + B * (len(own) + len(context)) / max(1.0, average))
            extra = 0.0
            for forms, idf in weights:
                count = sum(
                    OWN_WEIGHT * own.count(form) + self._context_weight * context.count(form)
                    for form in forms
                )
                extra += idf * count * (K1 + 1) / (count + norm)
            summed[num] = score + extra
        return summed


def _idf(size: int, documents: int) -> float:
    # FTS5 clamps negative values, of words in more than half of the rows, to nearly nothing.
    return max(1e-6, math.log((size - documents + 0.5) / (documents + 0.5))) if documents < size else 1e-6


def _rarity(size: int, documents: int) -> float:
    """Inverse document frequency that is never negative (Lucene's form of it)."""
    return math.log(1 + (size - min(documents, size) + 0.5) / (documents + 0.5))
