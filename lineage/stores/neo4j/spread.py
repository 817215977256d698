"""Keeping marks true in Neo4j: settle, spread, clear. Marks stay on the server.

``queue`` on a mark says that it is unexpanded: 2 where it is invalid, 1 otherwise; an index holds those alone.
``RECHECK`` is what is to be read again. A step takes some of the queue in hand (``queue`` -1) and expands it within one
transaction, so that nobody else ever sees that number.

One rule says what a node's mark of a cause is: the worst of its own seed and of what passes from its inputs, unless a
decision stands. Whatever changes a mark applies that rule.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any, Final

from lineage.stores.base import Step
from lineage.stores.neo4j.cypher import Cypher, parts
from lineage.stores.neo4j.model import PASSING, ROLE_CODE
from lineage.stores.neo4j.scopes import Scopes
from lineage.stores.neo4j.settling import Settling
from lineage_schema.vocabulary import Kind, Resolution

STEP: Final = 5_000
"""Marks in one step."""

PASSED: Final = f"""CASE
    WHEN c.type = 1 AND e.role > {ROLE_CODE["cites"]} THEN 0
    WHEN m.severity = 1 AND c.type = 0 AND e.version IS NOT NULL AND NOT e.version IN coalesce(m.readers, []) THEN 0
    WHEN e.role = {ROLE_CODE["retrieved"]} THEN 1
    ELSE m.severity END"""
"""What a mark ``m`` of cause ``c`` passes over edge ``e``, but for the scope rule of editions."""

TAKE: Final = """
MATCH (c:Cause)-[m:MARKS]->() WHERE m.queue = $queue WITH c, m LIMIT $limit
SET m.queue = -1
RETURN c.id, c.edition, count(*), sum(CASE WHEN m.fell THEN 1 ELSE 0 END) ORDER BY c.id
"""
"""Some of the queue is taken in hand."""

IN_SCOPE: Final = f"""
MATCH (c:Cause)-[m:MARKS]->(n) WHERE m.queue = -1 AND c.id = $cause AND m.severity > 0
MATCH (s:Answer|Claim)-[:{PASSING}]->(n) WHERE s.attributes IS NOT NULL
RETURN DISTINCT s.id, s.kind, s.attributes
"""
"""Answers and claims with a scope of their own, which an edition may not concern."""

HIT: Final = f"""
MATCH (c:Cause)-[m:MARKS]->(n:LineageNode) WHERE m.queue = -1 AND c.id = $cause AND m.severity > 0
MATCH (s:LineageNode)-[e:{PASSING}]->(n) WHERE NOT s.id IN $excluded
WITH c, s, n, {PASSED} AS passed WHERE passed > 0
WITH c, s, passed, n.id AS via ORDER BY passed DESC, via
WITH c, s, collect([passed, via])[0] AS top
OPTIONAL MATCH (c)-[k:MARKS]->(s)
WITH c, s, k, top[0] AS passed, top[1] AS via WHERE passed > coalesce(k.severity, 0)
WITH c, s, k, passed, via, EXISTS {{ (s)<-[:DECIDES_ON]-(d:Decision) WHERE d.cause = c.id }} AS decided
FOREACH (_ IN CASE WHEN decided THEN [1] ELSE [] END | MERGE (c)-[:RECHECK]->(s))
FOREACH (_ IN CASE WHEN decided OR k IS NOT NULL THEN [] ELSE [1] END |
    CREATE (c)-[:MARKS {{severity: passed, via: via, since: $seq, queue: passed}}]->(s))
FOREACH (_ IN CASE WHEN decided OR NOT s:Answer THEN [] ELSE [1] END |
    CREATE (:Event {{seq: $seq, at: $at, cause: c.id, node: s.id, was: coalesce(k.severity, 0), is_now: passed}}))
FOREACH (old IN CASE WHEN decided OR k IS NULL THEN [] ELSE [k] END |
    CREATE (c)-[:MARKED {{severity: old.severity, via: old.via, since: old.since, until: $seq,
        resolution: old.resolution}}]->(s)
    SET old.severity = passed, old.via = via, old.since = $seq, old.queue = passed, old.resolution = null)
RETURN sum(CASE WHEN decided THEN 0 ELSE 1 END)
"""
"""What is in hand of a cause marks its dependents; where a decision was made, the rule is applied in full instead."""

FELL: Final = f"""
MATCH (c:Cause)-[m:MARKS]->(n:LineageNode) WHERE m.queue = -1 AND m.fell
MATCH (s:LineageNode)-[:{PASSING}]->(n) MATCH (c)-[k:MARKS]->(s) WHERE k.severity > 0
WITH DISTINCT c, s MERGE (c)-[:RECHECK]->(s)
"""
"""What fell may leave dependents worse than what passes now: they are read again."""

EXPANDED: Final = "MATCH ()-[m:MARKS]->() WHERE m.queue = -1 REMOVE m.queue, m.fell"

RULE: Final = f"""
UNWIND $rows AS row MATCH (c:Cause {{id: row[0]}}) MATCH (n:LineageNode {{id: row[1]}})
OPTIONAL MATCH (c)-[s:SEEDS]->(n)
OPTIONAL MATCH (c)-[k:MARKS]->(n)
RETURN c.id, n.id, n.kind, n.attributes, n.made, c.edition, coalesce(s.severity, 0), s.readers,
    k.severity, k.since, coalesce(k.queue, 0) > 0, coalesce(k.fell, false),
    COLLECT {{ MATCH (n)-[e:{PASSING}]->(i:LineageNode)<-[m:MARKS]-(c) WHERE m.severity > 0
              WITH i, {PASSED} AS passed WHERE passed > 0 RETURN [passed, i.id] }},
    COLLECT {{ MATCH (n)<-[:DECIDES_ON]-(d:Decision) WHERE d.cause = c.id AND d.made = n.made
              RETURN [d.kind, d.severity, d.inputs] ORDER BY d.seq DESC LIMIT 1 }}
"""
"""All that bears on some marks."""

SET_MARKS: Final = """
UNWIND $rows AS row MATCH (c:Cause {id: row.cause}) MATCH (n:LineageNode {id: row.node})
OPTIONAL MATCH (c)-[k:MARKS]->(n)
FOREACH (_ IN CASE WHEN row.event THEN [1] ELSE [] END |
    CREATE (:Event {seq: $seq, at: $at, cause: c.id, node: n.id, was: row.was, is_now: row.severity,
        resolution: row.resolution}))
FOREACH (_ IN CASE WHEN k IS NULL THEN [1] ELSE [] END |
    CREATE (c)-[:MARKS {severity: row.severity, via: row.via, since: $seq, queue: row.queue, fell: row.fell,
        resolution: row.resolution, readers: row.readers}]->(n))
FOREACH (old IN CASE WHEN k IS NULL THEN [] ELSE [k] END |
    CREATE (c)-[:MARKED {severity: old.severity, via: old.via, since: old.since, until: $seq,
        resolution: old.resolution}]->(n)
    SET old.severity = row.severity, old.via = row.via, old.since = $seq, old.queue = row.queue, old.fell = row.fell,
        old.resolution = row.resolution, old.readers = row.readers)
"""

STILL: Final = """
UNWIND $rows AS row MATCH (c:Cause {id: row[0]})-[m:MARKS]->(n:LineageNode {id: row[1]}) WHERE m.severity > 0
OPTIONAL MATCH (c)-[s:SEEDS]->(n)
SET m.readers = s.readers, m.queue = m.severity, m.fell = true
"""
"""What a reader inherits may have changed even where a mark did not."""


class Spread:
    """The three jobs, each in bounded steps, each step in its caller's transaction."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher
        self.scopes = Scopes(cypher)
        self.settling = Settling(cypher, self.reread)

    # pending work

    def pending(self, cause: str | None = None) -> bool:
        """Whether work is pending, of one cause or at all. A query, never a stored flag."""
        return self.amount(cause, limit=1) > 0

    def amount(self, cause: str | None = None, *, limit: int = 2**31) -> int:
        """How many marks are unexpanded or to be read again; counting ends at ``limit``."""
        mine = "" if cause is None else "AND c.id = $cause"
        waiting = self._cypher.one(
            f"MATCH (c:Cause)-[m:MARKS]->() WHERE m.queue > 0 {mine} WITH m LIMIT $limit RETURN count(m)",
            cause=cause, limit=limit,
        )  # fmt: skip
        if waiting >= limit:
            return int(waiting)
        again = self._cypher.one(
            f"MATCH (c:Cause)-[r:RECHECK]->() WHERE true {mine} WITH r LIMIT $limit RETURN count(r)",
            cause=cause, limit=limit,
        )  # fmt: skip
        return int(waiting + again)

    # one step

    def step(self, batch: int = STEP) -> Step:
        """A piece of pending work, at most ``batch`` nodes or marks, in the order: to settle, to read again, to expand.

        One kind of work, and one level, in a transaction: a mark is expanded only after it was committed. Whoever adds
        a dependent meanwhile commits, then looks, and so either sees the mark or is seen when it is expanded.
        """
        settled, marked = self.settling.some(batch)
        if settled:
            return Step(0, marked, 0, self.waiting())
        checked = self._recheck_some(batch)
        if checked is not None:
            _, marked, closed = checked
            return Step(0, marked, closed, self.waiting())
        expanded, marked = self._expand_some(batch)
        return Step(expanded, marked, 0, expanded > 0 and self.waiting())

    def waiting(self) -> bool:
        """Whether a step has something to do: work is pending, or new nodes are unsettled."""
        return self.settling.waiting() or self.pending()

    def unsettled(self, ids: Collection[str]) -> set[str]:
        """Those of new nodes that have not yet read their inputs' marks: their own marks say nothing so far."""
        return self.settling.among(ids)

    def settle(self, levels: Iterable[Collection[str]], idle: bool) -> None:
        """Gives new nodes what passes from their inputs: here where the change lock is held, else once committed."""
        listed = [sorted(level) for level in levels]
        if self._cypher.adding:
            self._cypher.unsettled = listed
        else:
            self.settling.new(listed)

    def _expand_some(self, limit: int) -> tuple[int, int]:
        """Expands the next marks, invalid ones first: how many, and how many marks that made."""
        for queue in (2, 1):
            taken = self._cypher.rows(TAKE, queue=queue, limit=limit)
            if not taken:
                continue
            # The number is given only if something is marked by it, so that every store gives the same ones.
            seq, marked = self._cypher.sequence() + 1, 0
            for cause, edition, *_ in taken:
                excluded = []
                if edition:
                    excluded = [
                        id_
                        for id_, kind, attributes in self._cypher.rows(IN_SCOPE, cause=cause)
                        if self.scopes.excludes(cause, kind, attributes)
                    ]
                marked += self._cypher.one(HIT, cause=cause, excluded=excluded, seq=seq, at=self._cypher.now())
            if marked:
                self._cypher.next_seq()
            if any(fell for *_, fell in taken):
                self._cypher.rows(FELL)
            self._cypher.rows(EXPANDED)
            return sum(count for _, _, count, _ in taken), marked
        return 0, 0

    # reading again

    def recheck_all(self) -> None:
        """Reads again all that is to be read again, within this transaction."""
        if self._cypher.adding:
            # It has put nothing there.
            return
        while self._recheck_some(STEP) is not None:
            pass

    def _recheck_some(self, limit: int) -> tuple[int, int, int] | None:
        pairs = self._cypher.rows(
            "MATCH (c:Cause)-[r:RECHECK]->(n) WITH c, r, n LIMIT $limit DELETE r RETURN c.id, n.id", limit=limit
        )
        if not pairs:
            return None
        return len(pairs), *self.reread([(cause, node) for cause, node in pairs])

    def reread(self, pairs: Collection[tuple[str, str]], *, new: bool = False) -> tuple[int, int]:
        """Applies the rule to each (cause, node); returns how many marks were set and how many closed.

        ``new``: of new nodes, where a number is given only if something is marked.
        """
        marked = closed = 0
        for part in parts(sorted(pairs)):
            seq = self._cypher.sequence() + 1 if new else self._cypher.next_seq()
            changed = [
                found
                for row in self._cypher.rows(RULE, rows=[list(pair) for pair in part])
                if (found := self._rule(*row)) is not None
            ]
            if changed:
                if new:
                    self._cypher.next_seq()
                self._cypher.rows(SET_MARKS, rows=changed, seq=seq, at=self._cypher.now())
            marked += sum(row["severity"] > 0 for row in changed)
            closed += sum(row["severity"] == 0 for row in changed)
        return marked, closed

    def _rule(
        self, cause: str, node: str, kind: str, attributes: str | None, made: int | None, edition: bool, seed: int,
        readers: list[int] | None, was: int | None, since: int | None, waiting: bool, fell: bool,
        passing: list[tuple[int, str]], decisions: list[tuple[str, int, str]],
    ) -> dict[str, Any] | None:  # fmt: skip
        """What a mark must become, or None where it is that already."""
        if edition and passing and self.scopes.excludes(cause, kind, attributes):
            passing = []
        passed = max((severity for severity, _ in passing), default=0)
        via = min((id_ for severity, id_ in passing if severity == passed), default=None)
        now = max(seed, passed)
        resolution = None
        if now and decisions and kind != Kind.SPAN and not seed:
            word, severity, inputs = decisions[0]
            if passed <= severity and {id_ for _, id_ in passing} <= set(json.loads(inputs)):
                now, resolution = 0, word
        if now == (was or 0):
            return None
        if not now and resolution is None:
            rebuilt = made is not None and made > (since or 0)
            closing = Resolution.REBUILT if rebuilt else Resolution.CLEARED
            resolution = (Resolution.RESTORED if kind == Kind.SPAN else closing).value
        return {
            "cause": cause, "node": node, "severity": now, "was": was or 0, "via": via if passed >= seed else None,
            "resolution": resolution, "queue": max(now, 1), "fell": now < (was or 0) or (fell and waiting),
            "readers": readers, "event": kind == Kind.ANSWER,
        }  # fmt: skip

    def follow_seeds(self, pairs: Collection[tuple[str, str]]) -> None:
        """Marks of spans whose seeds changed."""
        before = self._cypher.sequence()
        self.reread(pairs)
        rows = self._cypher.write(
            """UNWIND $rows AS row MATCH (c:Cause {id: row[0]})-[m:MARKS]->(n:LineageNode {id: row[1]})
               WHERE m.severity > 0 AND m.since <= $before RETURN c.id, n.id""",
            [list(pair) for pair in sorted(pairs)],
            before=before,
        )
        self._cypher.write(STILL, rows)
