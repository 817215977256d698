"""Keeping marks true in Neo4j: settle, spread, clear. Marks stay on the server.

``queue`` on a mark says that it is unexpanded: 2 where it is invalid, 1 otherwise; an index holds those alone.
``RECHECK`` is what is to be read again. A step takes some of the queue in hand (``queue`` -1) and expands it within one
transaction, so that nobody else ever sees that number.

One rule says what a node's mark of a cause is: the worst of its own seed and of what passes from its inputs, unless a
decision stands. Whatever changes a mark applies that rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from lineage.stores.base import Step
from lineage.stores.neo4j.cypher import Cypher, parts
from lineage.stores.neo4j.model import PASSING, ROLE_CODE, again
from lineage.stores.neo4j.scopes import Scopes
from lineage.stores.neo4j.settling import Settling
from lineage_schema.vocabulary import Resolution

STEP: Final = 5_000
"""Marks in one step."""
TOGETHER: Final = 50_000
"""Relationships that the nodes of marks expanded in one statement have at most."""
DEPENDENTS_AT_ONCE: Final = 20_000
"""Dependents that one step looks at otherwise; those of one mark are taken page by page."""
END: Final = "m"
"""Behind every id: ids begin with l1."""
ANY_AGAIN: Final = "MATCH ()-[r:RECHECK]->() USING INDEX SEEK r:RECHECK(waits) WHERE r.waits = true RETURN 1 LIMIT 1"

PASSED: Final = f"""CASE
    WHEN c.type = 1 AND e.role > {ROLE_CODE["cites"]} THEN 0
    WHEN m.severity = 1 AND c.type = 0 AND e.version IS NOT NULL AND NOT e.version IN coalesce(m.readers, []) THEN 0
    WHEN e.role = {ROLE_CODE["retrieved"]} THEN 1
    ELSE m.severity END"""
"""What a mark ``m`` of cause ``c`` passes over edge ``e``, but for the scope rule of editions."""

PLAIN: Final = "m.queue = $queue AND NOT coalesce(m.fell, false) AND NOT c.edition"
"""What is unexpanded and has nothing to it: not lowered, and no edition whose scope is to be asked."""

LOOK: Final = """
RETURN EXISTS { MATCH (n:LineageNode) WHERE n.unsettled = true },
    EXISTS { MATCH ()-[r:RECHECK]->() USING INDEX SEEK r:RECHECK(waits) WHERE r.waits = true },
    EXISTS { MATCH ()-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue = 2 },
    EXISTS { MATCH ()-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue = 1 }
"""
"""What kinds of work there are: new nodes to settle, marks to read again, invalid and other marks to expand."""

QUEUED: Final = """
MATCH (c:Cause)-[m:MARKS]->(n) USING INDEX SEEK m:MARKS(queue) WHERE {which} WITH n LIMIT $limit
RETURN count(n), sum(COUNT {{ (n)<-[{types}]-() }})
"""
"""How many marks would be taken, and how many dependents they have: of all types, what is no dependent included, that
is one number, which the server keeps."""

TAKE: Final = """
MATCH (c:Cause)-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue = $queue WITH c, m LIMIT $limit
SET m.queue = -1
RETURN c.id, c.edition, sum(CASE WHEN m.fell THEN 1 ELSE 0 END), max(m.page) ORDER BY c.id
"""
"""Some of the queue is taken in hand."""

DEPENDENTS: Final = f"""
MATCH (c:Cause)-[m:MARKS]->(n:LineageNode) USING INDEX SEEK m:MARKS(queue) WHERE m.queue = -1 AND c.id = $cause
MATCH (s:LineageNode)-[e:{PASSING}]->(n) WHERE s.id > $after AND s.id <= $last
"""
"""The dependents of what is in hand of a cause, or a page of them."""

PAGE_END: Final = f"""
MATCH ()-[m:MARKS]->(n:LineageNode) USING INDEX SEEK m:MARKS(queue) WHERE m.queue = -1
MATCH (s:LineageNode)-[:{PASSING}]->(n) WHERE s.id > $after
WITH DISTINCT s.id AS id ORDER BY id LIMIT $size RETURN max(id), count(id)
"""
"""The last of the next page of dependents."""

IN_SCOPE: Final = f"""
{DEPENDENTS} AND (s:Answer OR s:Claim) AND s.attributes IS NOT NULL AND m.severity > 0
RETURN DISTINCT s.id, s.kind, s.attributes
"""
"""Answers and claims with a scope of their own, which an edition may not concern."""

MARKED_BY: Final = f"""
WITH c, s, n, {PASSED} AS passed WHERE passed > 0
WITH c, s, max(passed) AS passed, min(CASE WHEN passed = 2 THEN n.id END) AS invalid, min(n.id) AS other
OPTIONAL MATCH (c)-[k:MARKS]->(s)
WITH c, s, k, passed, coalesce(invalid, other) AS via WHERE passed > coalesce(k.severity, 0)
WITH c, s, k, passed, via, EXISTS {{ (s)<-[:DECIDES_ON]-(d:Decision) WHERE d.cause = c.id }} AS decided
FOREACH (_ IN CASE WHEN decided THEN [1] ELSE [] END | {again("s")})
FOREACH (_ IN CASE WHEN decided OR k IS NOT NULL THEN [] ELSE [1] END |
    CREATE (c)-[:MARKS {{severity: passed, via: via, since: $seq, queue: passed}}]->(s))
FOREACH (_ IN CASE WHEN decided OR NOT s:Answer THEN [] ELSE [1] END |
    CREATE (:Event {{seq: $seq, at: $at, cause: c.id, node: s.id, was: coalesce(k.severity, 0), is_now: passed}}))
FOREACH (old IN CASE WHEN decided OR k IS NULL THEN [] ELSE [k] END |
    CREATE (c)-[:MARKED {{severity: old.severity, via: old.via, since: old.since, until: $seq,
        resolution: old.resolution}}]->(s)
    SET old.severity = passed, old.via = via, old.since = $seq, old.queue = passed, old.resolution = null,
        old.page = null)
RETURN sum(CASE WHEN decided THEN 0 ELSE 1 END)
"""
"""Marks ``m`` mark the dependents of their nodes; where a decision was made, the rule is applied in full instead."""

HIT: Final = f"{DEPENDENTS} AND NOT s.id IN $excluded AND m.severity > 0 {MARKED_BY}"
"""What is in hand of a cause marks its dependents."""

AT_ONCE: Final = f"""
MATCH (c:Cause)-[m:MARKS]->(n:LineageNode) USING INDEX SEEK m:MARKS(queue) WHERE {PLAIN} WITH c, m, n LIMIT $limit
REMOVE m.queue, m.page
WITH c, m, n MATCH (s:LineageNode)-[e:{PASSING}]->(n)
{MARKED_BY}
"""
"""Some of the queue that is plain, expanded in one statement."""

FELL: Final = f"""
{DEPENDENTS} AND m.fell
MATCH (c)-[k:MARKS]->(s) WHERE k.severity > 0
WITH DISTINCT c, s {again("s")}
"""
"""What fell may leave dependents worse than what passes now: they are read again."""

EXPANDED: Final = """
MATCH ()-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue = -1 REMOVE m.queue, m.fell, m.page
"""
PUT_BACK: Final = """
MATCH ()-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue = -1 SET m.queue = $queue, m.page = $page
"""
"""More pages are to come."""

RULE: Final = f"""
OPTIONAL MATCH (c)-[s:SEEDS]->(n)
OPTIONAL MATCH (c)-[k:MARKS]->(n)
WITH c, n, s, k,
    CASE WHEN [c.id, n.id] IN $excluded THEN [] ELSE
    COLLECT {{ MATCH (n)-[e:{PASSING}]->(i:LineageNode)<-[m:MARKS]-(c) WHERE m.severity > 0
              WITH i, {PASSED} AS passed WHERE passed > 0 RETURN [passed, i.id] ORDER BY passed DESC, i.id }}
    END AS passing,
    COLLECT {{ MATCH (n)<-[:DECIDES_ON]-(d:Decision) WHERE d.cause = c.id AND d.made = n.made
              RETURN d ORDER BY d.seq DESC LIMIT 1 }}[0] AS d
WITH c, n, s, k, passing, d, coalesce(s.severity, 0) AS seed, coalesce(passing[0][0], 0) AS passed
WITH c, n, s, k, passing, d, seed, passed, CASE WHEN seed > passed THEN seed ELSE passed END AS worst,
    d IS NOT NULL AND NOT n:Span AND seed = 0 AND passed <= d.severity
        AND all(each IN passing WHERE d.inputs CONTAINS '"' + each[1] + '"') AS decided
WITH c, n, s, k, coalesce(k.severity, 0) AS was, CASE WHEN worst > 0 AND decided THEN 0 ELSE worst END AS now,
    CASE WHEN worst > 0 AND decided THEN d.kind WHEN worst > 0 THEN null WHEN n:Span THEN '{Resolution.RESTORED.value}'
        WHEN n.made > coalesce(k.since, 0) THEN '{Resolution.REBUILT.value}'
        ELSE '{Resolution.CLEARED.value}' END AS resolution,
    CASE WHEN passed >= seed THEN passing[0][1] END AS via
WITH c, n, s, k, was, now, via, resolution, now < was OR (coalesce(k.queue, 0) > 0 AND coalesce(k.fell, false)) AS fell
FOREACH (_ IN CASE WHEN now <> was AND n:Answer THEN [1] ELSE [] END |
    CREATE (:Event {{seq: $seq, at: $at, cause: c.id, node: n.id, was: was, is_now: now, resolution: resolution}}))
FOREACH (_ IN CASE WHEN now <> was AND k IS NULL THEN [1] ELSE [] END |
    CREATE (c)-[:MARKS {{severity: now, via: via, since: $seq, queue: now, fell: fell, resolution: resolution,
        readers: s.readers}}]->(n))
FOREACH (old IN CASE WHEN now <> was AND k IS NOT NULL THEN [k] ELSE [] END |
    CREATE (c)-[:MARKED {{severity: old.severity, via: old.via, since: old.since, until: $seq,
        resolution: old.resolution}}]->(n)
    SET old.severity = now, old.via = via, old.since = $seq, old.queue = CASE WHEN now > 0 THEN now ELSE 1 END,
        old.fell = fell, old.resolution = resolution, old.readers = s.readers, old.page = null)
RETURN count(n), sum(CASE WHEN now <> was AND now > 0 THEN 1 ELSE 0 END),
    sum(CASE WHEN now <> was AND now = 0 THEN 1 ELSE 0 END)
"""
"""What the mark of cause ``c`` on node ``n`` must become, applied: how many were read, set, closed."""

TAKE_AGAIN: Final = f"""
MATCH (c:Cause)-[r:RECHECK]->(n:LineageNode) USING INDEX SEEK r:RECHECK(waits) WHERE r.waits = true
WITH c, r, n LIMIT $limit
DELETE r WITH c, n {RULE}
"""
"""Some of what is to be read again."""

THESE: Final = f"""
UNWIND $rows AS row MATCH (c:Cause {{id: row[0]}})
CALL (row) {{ MATCH (n:LineageNode {{id: row[1]}}) RETURN n }}
WITH c, n {RULE}
"""

SCOPED: Final = """
MATCH (c:Cause)-[r:RECHECK]->(n:LineageNode) USING INDEX SEEK r:RECHECK(waits) WHERE r.waits = true
WITH c, n LIMIT $limit
WITH c, n WHERE c.edition AND (n:Answer OR n:Claim) AND n.attributes IS NOT NULL
RETURN c.id, n.id, n.kind, n.attributes
"""
"""Answers and claims, among what is to be read again, that an edition may not concern by their own scope."""

THESE_SCOPED: Final = """
UNWIND $rows AS row MATCH (c:Cause {id: row[0]})
CALL (row) { MATCH (n:LineageNode {id: row[1]}) RETURN n }
WITH c, n WHERE c.edition AND (n:Answer OR n:Claim) AND n.attributes IS NOT NULL
RETURN c.id, n.id, n.kind, n.attributes
"""

STILL: Final = """
UNWIND $rows AS row MATCH (c:Cause {id: row[0]})-[m:MARKS]->(n:LineageNode {id: row[1]})
USING INDEX SEEK n:LineageNode(id)
WHERE m.severity > 0 AND m.since <= $before
OPTIONAL MATCH (c)-[s:SEEDS]->(n)
SET m.readers = s.readers, m.queue = m.severity, m.fell = true, m.page = null
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
            f"""MATCH (c)-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue > 0 {mine}
                WITH m LIMIT $limit RETURN count(m)""",
            cause=cause, limit=limit,
        )  # fmt: skip
        if waiting >= limit:
            return int(waiting)
        again = self._cypher.one(
            f"""MATCH (c)-[r:RECHECK]->() USING INDEX SEEK r:RECHECK(waits) WHERE r.waits = true {mine}
                WITH r LIMIT $limit RETURN count(r)""",
            cause=cause, limit=limit,
        )  # fmt: skip
        return int(waiting + again)

    # one step

    def step(self, batch: int = STEP) -> Step:
        """A piece of pending work, at most ``batch`` nodes or marks, in the order: to settle, to read again, to expand.

        One kind of work, and one level, in a transaction: a mark is expanded only after it was committed. Whoever adds
        a dependent meanwhile commits, then looks, and so either sees the mark or is seen when it is expanded.
        """
        unsettled, again, *queues = self._cypher.rows(LOOK)[0]
        if unsettled:
            _, marked = self.settling.some(batch)
            return Step(0, marked, 0, self.waiting())
        if again:
            _, marked, closed = self._recheck_some(batch)
            return Step(0, marked, closed, self.waiting())
        for queue, some in zip((2, 1), queues, strict=True):
            if some:
                expanded, marked = self._expand_some(queue, batch)
                return Step(expanded, marked, 0, self.waiting())
        return Step(0, 0, 0, False)

    def waiting(self) -> bool:
        """Whether a step has something to do: work is pending, or new nodes are unsettled."""
        return any(self._cypher.rows(LOOK)[0])

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

    def _expand_some(self, queue: int, limit: int) -> tuple[int, int]:
        """Expands the next marks of a queue: how many, and how many marks that made. Plain ones first."""
        count, around = self._bounded(QUEUED.format(which=PLAIN, types=""), queue, limit, TOGETHER)
        if count and around <= TOGETHER:
            # The number is given only if something is marked by it, so that every store gives the same ones.
            seq, at = self._cypher.sequence() + 1, self._cypher.now()
            marked = self._cypher.one(AT_ONCE, queue=queue, limit=count, seq=seq, at=at)
            if marked:
                self._cypher.next_seq()
            return count, marked
        statement = QUEUED.format(which="m.queue = $queue", types=f":{PASSING}")
        count, dependents = self._bounded(statement, queue, limit, DEPENDENTS_AT_ONCE)
        taken = self._cypher.rows(TAKE, queue=queue, limit=count)
        after, last, more = "", END, False
        if dependents > DEPENDENTS_AT_ONCE:
            # One mark with very many dependents: a page of them.
            after = taken[0][3] or ""
            last, size = self._cypher.rows(PAGE_END, after=after, size=DEPENDENTS_AT_ONCE)[0]
            last, more = last or END, size == DEPENDENTS_AT_ONCE
        marked = self._mark(taken, after, last)
        if more:
            self._cypher.rows(PUT_BACK, queue=queue, page=last)
        else:
            self._cypher.rows(EXPANDED)
        return count, marked

    def _bounded(self, statement: str, queue: int, limit: int, most: int) -> tuple[int, int]:
        """How many marks to take so that what the statement counts of them is not too much, if more than one."""
        count, around = self._cypher.rows(statement, queue=queue, limit=limit)[0]
        while around > most and count > 1:
            count, around = self._cypher.rows(statement, queue=queue, limit=count // 2)[0]
        return count, around

    def _mark(self, taken: Sequence[Sequence[Any]], after: str, last: str) -> int:
        """Marks the dependents of what is in hand; returns how many marks were set."""
        seq, marked = self._cypher.sequence() + 1, 0
        for cause, edition, *_ in taken:
            page: dict[str, Any] = {"cause": cause, "after": after, "last": last}
            excluded = []
            if edition:
                scoped = self._cypher.rows(IN_SCOPE, **page)
                excluded = [id_ for id_, kind, said in scoped if self.scopes.excludes(cause, kind, said)]
            marked += self._cypher.one(HIT, **page, excluded=excluded, seq=seq, at=self._cypher.now())
        if marked:
            self._cypher.next_seq()
        for cause, _, fell, _ in taken:
            if fell:
                self._cypher.rows(FELL, cause=cause, after=after, last=last)
        return marked

    # reading again

    def recheck_all(self) -> None:
        """Reads again all that is to be read again, within this transaction."""
        if self._cypher.adding:
            # It has put nothing there.
            return
        while self._cypher.rows(ANY_AGAIN):
            self._recheck_some(STEP)

    def _recheck_some(self, limit: int) -> tuple[int, int, int]:
        excluded = self._excluded(self._cypher.rows(SCOPED, limit=limit))
        seq, at = self._cypher.next_seq(), self._cypher.now()
        done, marked, closed = self._cypher.rows(TAKE_AGAIN, limit=limit, excluded=excluded, seq=seq, at=at)[0]
        return done, marked, closed

    def reread(self, pairs: Collection[tuple[str, str]], *, new: bool = False) -> tuple[int, int]:
        """Applies the rule to each (cause, node); returns how many marks were set and how many closed.

        ``new``: of new nodes, where a number is given only if something is marked.
        """
        marked = closed = 0
        for part in parts(sorted(pairs)):
            rows = [list(pair) for pair in part]
            seq = self._cypher.sequence() + 1 if new else self._cypher.next_seq()
            excluded = self._excluded(self._cypher.rows(THESE_SCOPED, rows=rows))
            _, opened, ended = self._cypher.rows(THESE, rows=rows, excluded=excluded, seq=seq, at=self._cypher.now())[0]
            if new and (opened or ended):
                self._cypher.next_seq()
            marked, closed = marked + opened, closed + ended
        return marked, closed

    def _excluded(self, rows: Iterable[Sequence[Any]]) -> list[list[str]]:
        """The (cause, node) over which an edition does not pass by the node's own scope."""
        return [[cause, node] for cause, node, kind, said in rows if self.scopes.excludes(cause, kind, said)]

    def follow_seeds(self, pairs: Collection[tuple[str, str]]) -> None:
        """Marks of spans whose seeds changed."""
        before = self._cypher.sequence()
        self.reread(pairs)
        self._cypher.write(STILL, [list(pair) for pair in sorted(pairs)], before=before)
