"""Nodes as readers see them, from Neo4j, and what happened to them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from lineage.stores.base import CitationRow, EdgeView, MarkView, NodeView
from lineage.stores.neo4j.model import CURRENT, EDGES, LINEAGES, ROLES, origins_of
from lineage.stores.neo4j.walking import Walking

VIEWS = f"""
MATCH (n:LineageNode) WHERE n.id IN $rows
OPTIONAL MATCH (r:Run {{id: n.run}})
RETURN n, r.producer, {CURRENT},
    COLLECT {{ MATCH (n)<-[m:MARKS]-(c:Cause) WHERE m.severity > 0
              RETURN [c.id, c.type, m.severity, m.via, m.since] ORDER BY c.seq, c.id }},
    COLLECT {{ MATCH (n)<-[:IS_ALIAS_OF]-(a:Alias) RETURN DISTINCT a.alias ORDER BY a.alias }}
"""
CITED = """
MATCH (n:LineageNode) WHERE n.id IN $rows MATCH (c:Citation)-[:PRINTED_IN]->(n) WHERE c.run = {run}
RETURN n.id, c.number, c.marker, c.marker_start, c.marker_end, c.target, c.version, c.start, c.end, c.whole
ORDER BY n.id, c.number
"""
RUN_THEN = """CASE WHEN n.made <= $as_of THEN n.run ELSE coalesce(head(COLLECT {
    MATCH (n)-[:WAS_MADE]->(p:Making) WHERE p.made <= $as_of AND p.until > $as_of
    RETURN p.run ORDER BY p.derived DESC, p.begin DESC LIMIT 1 }), n.run) END"""
"""The run whose derivation node ``n`` had after a sequence number."""


class Describing(Walking):
    """What readers see of nodes."""

    def views(self, ids: Collection[str]) -> dict[str, NodeView]:
        """What readers see of nodes, texts included; marks are those that are open."""
        found: dict[str, NodeView] = {}
        for node, producer, current, marks, aliases in self._cypher.write(VIEWS, list(ids)):
            found[node["id"]] = NodeView(
                id=node["id"],
                kind=node["kind"],
                namespace=node.get("namespace") or "",
                key=node.get("key") or "",
                text=None if node.get("purged") else node.get("text"),
                sha256=node.get("sha256"),
                attributes=json.loads(node.get("attributes") or "{}"),
                title=node.get("title"),
                reason=node.get("reason"),
                details=json.loads(node.get("details") or "{}"),
                lineage=LINEAGES[node.get("lineage") or 0].value,
                current=current or node["kind"] == "span",
                begin=node.get("begin"),
                run=node.get("run"),
                producer=producer,
                cache_key=node.get("cache_key"),
                question=node.get("question"),
                at=node.get("at"),
                searched=tuple(node.get("searched") or ()),
                label=node.get("label"),
                needs_evidence=node.get("needs_evidence"),
                made=node.get("made"),
                marks=tuple(MarkView(*mark) for mark in marks),
                aliases=tuple(aliases),
            )
        return found

    def citations(self, claims: Collection[str], *, as_of: int | None = None) -> dict[str, list[CitationRow]]:
        """The citations of claims' derivations as printed, in order: of the current ones, or of those made then."""
        found: dict[str, list[CitationRow]] = {id_: [] for id_ in claims}
        statement = CITED.format(run="n.run" if as_of is None else RUN_THEN)
        for row in self._cypher.write(statement, list(claims), as_of=as_of):
            found[row[0]].append(CitationRow(*row))
        return found

    def inputs(self, ids: Collection[str]) -> dict[str, list[EdgeView]]:
        """The current edges of nodes to their inputs."""
        found: dict[str, list[EdgeView]] = {}
        for src, role, dst, mask, version, since in self._cypher.write(
            f"""MATCH (s:LineageNode)-[e:{EDGES}]->(d:LineageNode) WHERE s.id IN $rows
                RETURN s.id, e.role, d.id, e.origins, e.version, e.since ORDER BY s.id, e.role, d.id""",
            list(ids),
        ):
            found.setdefault(src, []).append(
                EdgeView(src, ROLES[role].value, dst, origins_of(mask), version, since, None)
            )
        return found

    def counts(self) -> dict[str, dict[str, int]]:
        """How many nodes of each kind, edges of each role, and so on."""
        nodes = self._numbers("MATCH (n:LineageNode) RETURN n.kind, count(*) ORDER BY n.kind")
        edges = self._cypher.rows(
            f"MATCH (:LineageNode)-[e:{EDGES}]->() RETURN e.role, count(*) AS number ORDER BY e.role"
        )
        store = {
            "document": "(x:Document)", "version": "(x:DocumentVersion)", "run": "(x:Run)", "cause": "(x:Cause)",
            "mark": "()-[x:MARKS]->()", "decision": "(x:Decision)", "event": "(x:Event)", "finding": "(x:Finding)",
        }  # fmt: skip
        return {
            "nodes": nodes,
            "edges": {ROLES[role].value: number for role, number in edges},
            "store": {name: self._cypher.one(f"MATCH {what} RETURN count(x)") for name, what in store.items()},
        }

    def _numbers(self, statement: str) -> dict[str, int]:
        return {name: number for name, number in self._cypher.rows(statement)}  # noqa: C416

    def current_count(self) -> int:
        """How many keys name a current node."""
        return int(self._cypher.one("MATCH (:Key)-[c:CURRENT]->() RETURN count(c)"))

    def run_begins(self) -> dict[str, int]:
        """Begin by run id of the runs that have not finished."""
        return self._numbers("MATCH (r:Run) WHERE r.finished IS NULL RETURN r.id, r.begin")

    def marks_then(self, views: Mapping[str, NodeView], as_of: int) -> dict[str, NodeView]:
        """The same nodes with the marks that were open after a sequence number."""
        open_: dict[str, list[MarkView]] = {id_: [] for id_ in views}
        for node, *mark in self._cypher.write(
            """MATCH (n:LineageNode) WHERE n.id IN $rows MATCH (n)<-[m:MARKS|MARKED]-(c:Cause)
               WHERE m.severity > 0 AND m.since <= $as_of AND (m.until IS NULL OR m.until > $as_of)
               RETURN n.id, c.id, c.type, m.severity, m.via, m.since ORDER BY c.seq, c.id""",
            list(views),
            as_of=as_of,
        ):
            open_[node].append(MarkView(*mark))
        return {id_: replace(view, marks=tuple(open_[id_])) for id_, view in views.items()}

    def made_then(self, views: Mapping[str, NodeView], as_of: int) -> dict[str, NodeView]:
        """The same nodes with the derivation that they had after a sequence number: run, producer, lineage.

        Why a past derivation's lineage was not complete is not kept: ``reason`` is None there.
        """
        later = [id_ for id_, view in views.items() if view.made is not None and view.made > as_of]
        then: dict[str, NodeView] = {}
        # What outranks comes last, and stays.
        for node, lineage, begin, made, run, producer in self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})-[:WAS_MADE]->(p:Making)
               USING INDEX SEEK n:LineageNode(id)
               WHERE p.made <= $as_of AND p.until > $as_of MATCH (r:Run {id: p.run})
               RETURN n.id, p.lineage, p.begin, p.made, r.id, r.producer ORDER BY p.derived, p.begin""",
            later,
            as_of=as_of,
        ):
            then[node] = replace(
                views[node], lineage=LINEAGES[lineage].value, reason=None, begin=begin, made=made, run=run,
                producer=producer,
            )  # fmt: skip
        return {id_: then.get(id_, view) for id_, view in views.items()}

    def sequence_at(self, at: int) -> int:
        """The last sequence number given at or before a time (UTC microseconds).

        Not every number has a time of its own (a new derivation has that of none): those behind one
        that was given by then, up to the first that is known to be later, count as given.
        """
        timed = (
            ("Run", "begin"), ("DocumentVersion", "seq"), ("Cause", "seq"), ("Event", "seq"), ("Decision", "seq"),
            ("Statement", "seq"),
        )  # fmt: skip
        reached = max(
            self._cypher.one(f"MATCH (x:{label}) WHERE x.at <= $at RETURN coalesce(max(x.{field}), 0)", at=at)
            for label, field in timed
        )
        if not reached:
            return 0
        later = [
            self._cypher.one(f"MATCH (x:{label}) WHERE x.{field} > $seq RETURN min(x.{field})", seq=reached)
            for label, field in timed
        ]
        known = [number for number in later if number is not None]
        return min(known) - 1 if known else self._cypher.sequence()

    def times(self, numbers: Collection[int]) -> dict[int, int]:
        """When numbers of the sequence were given, UTC microseconds."""
        rows = self._cypher.write(
            """UNWIND $rows AS number RETURN number,
               COLLECT { MATCH (m:Moment) WHERE m.seq >= number RETURN m.at ORDER BY m.seq LIMIT 1 }""",
            sorted(numbers),
        )
        return {number: found[0] for number, found in rows if found}

    # history and state

    def makings(self, id_: str) -> list[tuple[str, str, int, int, int | None, int | None]]:
        """(run, producer, begin, made, time, until) of a node's derivations, past ones included."""
        rows = self._cypher.rows(
            """MATCH (n:LineageNode {id: $id}) WHERE n.run IS NOT NULL MATCH (r:Run {id: n.run})
               RETURN r.id AS run, r.producer AS producer, n.begin AS begin, n.made AS made, r.at AS at, null AS until
               UNION ALL
               MATCH (n:LineageNode {id: $id})-[:WAS_MADE]->(p:Making) MATCH (r:Run {id: p.run})
               RETURN r.id AS run, r.producer AS producer, p.begin AS begin, p.made AS made, r.at AS at,
                      p.until AS until""",
            id=id_,
        )
        return sorted((tuple(row) for row in rows), key=lambda row: (row[3], row[2]))

    def namings(self, id_: str) -> tuple[list[tuple[str, int, int]], list[tuple[str, int]]]:
        """What was said of a node's key: all nodes that it named, and all that retired it, in order.

        First (node, first and last naming) by the sequence numbers at which runs that named it
        began (or at which an answer was asked); then (run, begin). Both are empty for a span.
        """
        rows = self._cypher.rows(
            """MATCH (:LineageNode {id: $id})<-[:NAMES]-(k:Key) RETURN
               COLLECT { MATCH (k)-[t:NAMES]->(n) RETURN [n.id, t.first, t.last] ORDER BY t.first, n.id },
               COLLECT { MATCH (r:Run)-[:RETIRED]->(k) RETURN [r.id, r.begin] },
               COLLECT { MATCH (r:Run {namespace: k.namespace}) WHERE r.complete AND k.kind IN r.kinds
                         AND NOT k.kind IN ['answer', 'claim'] RETURN [r.id, r.begin] }""",
            id=id_,
        )
        if not rows:
            return [], []
        nodes, retired, swept = rows[0]
        listed = sorted({(run, begin) for run, begin in (*retired, *swept)}, key=lambda each: (each[1], each[0]))
        return [(node, first, last) for node, first, last in nodes], listed

    def mark_history(self, id_: str) -> list[tuple[str, int, int, int | None, str | None, int | None]]:
        """(cause, severity, since, until, resolution, time) of a node's marks, past ones included, in order.

        Severity 0 is closed. Only answers' changes have a time (UTC microseconds); ``until`` is None for what holds.
        """
        rows = self._cypher.rows(
            """MATCH (n:LineageNode {id: $id})<-[m:MARKS|MARKED]-(c:Cause)
               OPTIONAL MATCH (e:Event {node: $id}) WHERE e.seq = m.since AND e.cause = c.id
               RETURN c.id, m.severity, m.since, m.until, m.resolution, e.at ORDER BY c.seq, c.id, m.since""",
            id=id_,
        )
        return [(cause, severity, since, until, word, at) for cause, severity, since, until, word, at in rows]

    def decision_history(self, id_: str) -> list[tuple[str, str, str, str | None, int, int]]:
        """(cause, kind, reason, who, seq, time) of decisions about a node."""
        rows = self._cypher.rows(
            """MATCH (:LineageNode {id: $id})<-[:DECIDES_ON]-(d:Decision)
               RETURN d.cause, d.kind, d.reason, d.by, d.seq, d.at ORDER BY d.seq""",
            id=id_,
        )
        return [(cause, kind, reason, by, seq, at) for cause, kind, reason, by, seq, at in rows]

    def finding_counts(self) -> dict[str, int]:
        """How many findings of each kind were kept."""
        return self._numbers("MATCH (f:Finding) RETURN f.kind, count(*) ORDER BY f.kind")

    def sizes(self) -> dict[str, int]:
        """Nothing: a server does not tell how large one database's files are."""
        return {}
