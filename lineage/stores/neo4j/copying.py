"""A whole Neo4j store out, section by section, and into an empty one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from typing import Any, Final

from lineage.stores.copying import Row, Section
from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.drawing import DRAWINGS, KEYS, LABELS, Beside, Drawn, Link, Thing
from lineage.stores.neo4j.model import EDGES

PAGE: Final = 2_000
"""Nodes whose rows are read at once."""

OF_NODES: Final = {
    "span": """MATCH (n:LineageNode {id: id}) WHERE n:Span
        RETURN n.id AS id, n.uri AS uri, n.edition AS edition, n.version AS version, n.start AS start, n.end AS end,
            n.purged AS purged,
            COLLECT { MATCH (n)-[a:ANCHORED_IN]->(v) RETURN [v.number, a.start, a.end] } AS anchors""",
    "node": """MATCH (n:LineageNode {id: id})<-[t:NAMES]-(k:Key) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS id, n.kind AS kind, n.namespace AS namespace, n.key AS key,
            EXISTS { (n)<-[:CURRENT]-(k) } AS current, t.first AS named_first, t.last AS named_last,
            n.sha256 AS sha256, n.text AS text, n.attributes AS attributes, n.title AS title, n.reason AS reason,
            n.details AS details, n.run AS run, n.begin AS begin, n.derived AS derived, n.made AS made,
            n.lineage AS lineage, coalesce(n.unsettled, false) AS unsettled, n.purged AS purged,
            n.question AS question, n.cache_key AS cache_key, n.at AS at,
            CASE WHEN n.question IS NOT NULL THEN coalesce(n.searched, []) END AS searched, n.label AS label,
            n.needs_evidence AS needs_evidence""",
    "asking": """MATCH (n:LineageNode {id: id})<-[a:ASKED]-(r:Run) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, r.id AS run, a.seq AS seq""",
    "edge": f"""MATCH (n:LineageNode {{id: id}})-[e:{EDGES}]->(d:LineageNode) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS src, e.role AS role, d.id AS dst, e.origins AS origins, e.version AS version,
            e.since AS since, e.ext AS ext, e.own AS own""",
    "making": """MATCH (n:LineageNode {id: id})-[:WAS_MADE]->(p:Making) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, p.made AS made, p.run AS run, p.begin AS begin, p.derived AS derived,
            p.lineage AS lineage, p.until AS until""",
    "past_edge": """MATCH (n:LineageNode {id: id})-[e:FORMERLY]->(d:LineageNode) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS src, e.until AS until, e.since AS since, e.role AS role, d.id AS dst, e.origins AS origins,
            e.version AS version, e.ext AS ext, e.own AS own, e.run AS run""",
    "citation": """MATCH (n:LineageNode {id: id})<-[:PRINTED_IN]-(c:Citation) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS claim, c.run AS run, c.number AS number, c.marker AS marker, c.marker_start AS marker_start,
            c.marker_end AS marker_end, c.target AS target, c.version AS version, c.start AS start, c.end AS end,
            c.whole AS whole""",
    "seed": """MATCH (n:LineageNode {id: id})<-[s:SEEDS]-(c:Cause) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, c.id AS cause, s.severity AS severity, s.class AS class, s.start AS start, s.end AS end,
            coalesce(s.readers, []) AS readers""",
    "mark": """MATCH (n:LineageNode {id: id})<-[m:MARKS]-(c:Cause)
        USING INDEX SEEK n:LineageNode(id) OPTIONAL MATCH (n)<-[s:SEEDS]-(c)
        RETURN n.id AS node, c.id AS cause, m.severity AS severity, m.via AS via, m.since AS since,
            m.resolution AS resolution, coalesce(m.queue, 0) > 0 AS waiting,
            coalesce(m.queue, 0) > 0 AND coalesce(m.fell, false) AS fell, coalesce(s.readers, []) AS readers""",
    "past_mark": """MATCH (n:LineageNode {id: id})<-[m:MARKED]-(c:Cause) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, c.id AS cause, m.since AS since, m.until AS until, m.severity AS severity,
            m.via AS via, m.resolution AS resolution""",
    "recheck": """MATCH (n:LineageNode {id: id})<-[:RECHECK]-(c:Cause)
        USING INDEX SEEK n:LineageNode(id) RETURN n.id AS node, c.id AS cause""",
    "decision": """MATCH (n:LineageNode {id: id})<-[:DECIDES_ON]-(d:Decision) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, d.cause AS cause, d.seq AS seq, d.made AS made, d.kind AS kind, d.severity AS severity,
            d.inputs AS inputs, d.reason AS reason, d.by AS by, d.at AS at""",
    "event": """MATCH (e:Event {node: id})
        RETURN e.node AS node, e.seq AS seq, e.cause AS cause, e.at AS at, e.was AS was, e.is_now AS is_now,
            e.resolution AS resolution""",
    "score": """MATCH (n:LineageNode {id: id})<-[:SCORES]-(s:Score) USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, s.seq AS seq, s.n AS place, s.at AS at, s.body AS body""",
    "splitting": """MATCH (n:LineageNode {id: id})<-[:SPLITS]-(s:Splitting)-[:SPLIT_BY]->(g:Judge)
        USING INDEX SEEK n:LineageNode(id)
        RETURN n.id AS node, s.seq AS seq, g.name AS judge, g.version AS judge_version,
            g.configuration AS judge_configuration, s.parts AS parts, s.by AS by, s.at AS at""",
}  # fmt: skip
"""Rows that belong to node ``id``."""

OF_STORE: Final = {
    "document": """MATCH (d:Document)
        RETURN d.uri AS uri, d.title AS title, d.url AS url, d.media_type AS media_type""",
    "version": """MATCH (v:DocumentVersion)
        RETURN v.uri AS uri, v.edition AS edition, v.number AS number, v.id AS id, v.sha256 AS sha256, v.text AS text,
            CASE WHEN v.base IS NULL THEN v.source_edition ELSE v.edition END AS base_edition,
            coalesce(v.base, v.source_number) AS base, v.alignment AS alignment, v.seq AS seq, v.at AS at,
            v.purged AS purged, v.current AS current, v.edition_seq AS edition_seq""",
    "statement": """MATCH (s:Statement)-[:SAID_OF]->(v:DocumentVersion)
        RETURN v.uri AS uri, v.edition AS edition, v.number AS number, s.seq AS seq, s.n AS place, s.at AS at,
            s.body AS body""",
    "run": """MATCH (r:Run)
        RETURN r.id AS id, r.key AS key, r.namespace AS namespace, r.producer AS producer, r.body AS body,
            r.derived AS derived, r.begin AS begin, r.at AS at, r.finished AS finished, r.complete AS complete,
            r.kinds AS kinds""",
    "name": "MATCH (k:Key) RETURN k.key AS key, k.kind AS kind, k.namespace AS namespace",
    "alias": """MATCH (a:Alias)-[:IS_ALIAS_OF]->(n)
        RETURN a.alias AS alias, a.namespace AS namespace, n.id AS node""",
    "retirement": """MATCH (r:Run)-[:RETIRED]->(k:Key)
        RETURN r.id AS run, k.key AS key, k.kind AS kind, k.namespace AS namespace""",
    "finding": """MATCH (r:Run)-[:FOUND]->(f:Finding)
        RETURN r.id AS run, f.kind AS kind, f.place AS place, f.what AS what""",
    "cause": """MATCH (c:Cause) WHERE c.type < 2
        RETURN c.id AS id, c.type AS kind, c.seq AS seq, c.at AS at, c.reason AS reason, c.by AS by,
            c.edition AS edition""",
    "change": """MATCH (c:Cause)-[g:CHANGED]->(d:Document)
        RETURN c.id AS cause, d.uri AS uri, g.edition AS edition, g.kind AS kind, g.source AS source,
            g.target_edition AS target_edition, g.target AS target""",
    "namespace_document": """MATCH (s:Namespace)-[r:DERIVES_FROM]->(d:Document)
        RETURN s.name AS namespace, d.uri AS uri, r.seq AS seq""",
    "namespace_input": """MATCH (s:Namespace)-[:READS]->(o:Namespace)
        RETURN s.name AS namespace, o.name AS input""",
    "passage": "MATCH (p:Passage) RETURN p.source AS source, p.sha256 AS sha256, p.text AS text",
    "judgment": """MATCH (j:Judgment)-[:GIVEN_BY]->(g:Judge)
        RETURN j.key AS key, j.number AS number, g.name AS judge, g.version AS judge_version,
            g.configuration AS judge_configuration, j.statement_sha256 AS statement_sha256, j.statement AS statement,
            COLLECT { MATCH (j)-[s:SHOWN]->(p:Passage) RETURN [s.place, p.source, p.sha256] } AS shown,
            j.verdict AS verdict, j.score AS score, j.reason AS reason, j.latency AS latency, j.cut AS cut,
            j.by AS by, j.seq AS seq, j.at AS at""",
    "choice": """MATCH (c:JudgmentChoice)
        RETURN c.key AS key, c.seq AS seq, c.number AS number, c.reason AS reason, c.by AS by, c.at AS at""",
    "calibration": """MATCH (c:Calibration)-[:CALIBRATES]->(g:Judge)
        RETURN c.seq AS seq, g.name AS judge, g.version AS judge_version, g.configuration AS judge_configuration,
            c.labels AS labels, c.seed AS seed, c.kappa AS kappa, c.body AS body, c.at AS at""",
    "moment": "MATCH (m:Moment) RETURN m.seq AS seq, m.at AS at",
    "sequence": "MATCH (s:LineageStore {id: 'store'}) RETURN s.sequence AS value",
}  # fmt: skip
"""All rows of a section, in any order: a server compares texts in other ways than by code points."""

FOUND: Final = {
    "document": "EXISTS { (:Document {uri: row[0]}) }",
    "version": "EXISTS { (:DocumentVersion {uri: row[0], edition: row[1], number: row[2]}) }",
    "run": "EXISTS { (:Run {id: row[0]}) }",
    "cause": "EXISTS { (:Cause {id: row[0]}) }",
    "name": "EXISTS { (:Key {key: row[0], kind: row[1], namespace: row[2]}) }",
    "node": "EXISTS { (:LineageNode {id: row[0]}) }",
    "read": """EXISTS { MATCH (n:LineageNode {id: row[0]})
        MATCH (:DocumentVersion {uri: n.uri, edition: n.edition, number: row[1]}) }""",
    "passage": "EXISTS { (:Passage {source: row[0], sha256: row[1]}) }",
    "judgment": "EXISTS { (:Judgment {key: row[0], number: row[1]}) }",
}
FIRST_IDS: Final = "MATCH (n:LineageNode) WHERE n.id > $after RETURN n.id ORDER BY n.id LIMIT $limit"
HOLDING: Final = "|".join(name for name in LABELS if name not in ("LineageStore", "Cause"))


class Copying:
    """Reads and writes rows as they are drawn."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    # out

    def rows(self, section: Section) -> Iterator[Row]:
        """All rows of a section in their order."""
        if section.of_nodes:
            rows = section.ordered(self._of_nodes(section))
        else:
            rows = sorted_on_disk(section, map(section.out, self._cypher.records(OF_STORE[section.name])))
        return _placed(section, rows) if "place" in section.key and "seq" in section.key else rows

    def _of_nodes(self, section: Section) -> Iterator[Row]:
        """Page by page of the nodes, in the order of their ids: these are of plain letters and digits."""
        statement = f"UNWIND $ids AS id {OF_NODES[section.name]}"
        first = section.key[0]
        after = ""
        while ids := [id_ for (id_,) in self._cypher.rows(FIRST_IDS, after=after, limit=PAGE)]:
            rows = map(section.out, self._cypher.records(statement, ids=ids))
            yield from sorted(rows, key=lambda row: str(row[first]))
            after = ids[-1]

    # in

    def empty(self) -> bool:
        """Whether nothing was ever registered."""
        return not self._cypher.one(
            f"RETURN EXISTS {{ (:{HOLDING}) }} OR EXISTS {{ MATCH (c:Cause) WHERE c.type < 2 }}"
        )

    def known(self, target: str, wanted: Collection[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
        """Those of the names that the store has."""
        rows = self._cypher.write(
            f"UNWIND $rows AS row WITH row WHERE {FOUND[target]} RETURN row", [list(each) for each in wanted]
        )
        return {tuple(row) for (row,) in rows}

    def put(self, section: Section, rows: list[Row]) -> None:
        """Draws rows. What they name is there."""
        draw = DRAWINGS[section.name]
        things: dict[tuple[tuple[str, ...], bool], list[Any]] = {}
        besides: dict[tuple[str, str, str, bool], list[Any]] = {}
        links: dict[tuple[str, str, str], list[Any]] = {}
        for row in rows:
            for drawn in draw(row):
                _sort_in(drawn, things, besides, links)
        for (labels, again), listed in things.items():
            self._things(labels, again, listed)
        for (label, type_, end, inwards), listed in besides.items():
            self._besides(label, type_, end, inwards, listed)
        for (type_, start, end), listed in links.items():
            self._cypher.write(
                f"""UNWIND $rows AS row MATCH {_end("a", start, "row.start")} MATCH {_end("b", end, "row.end")}
                    CREATE (a)-[r:{type_}]->(b) SET r = row.props""",
                listed,
            )

    def _things(self, labels: tuple[str, ...], again: bool, rows: list[Any]) -> None:
        marked = "".join(f":{label}" for label in labels)
        if not again:
            self._cypher.write(f"UNWIND $rows AS row CREATE (n{marked}) SET n = row.props", rows)
            return
        found = _end("n", labels[0], "row.key")
        self._cypher.write(f"UNWIND $rows AS row MERGE {found} SET n{marked}, n += row.props", rows)

    def _besides(self, label: str, type_: str, end: str, inwards: bool, rows: list[Any]) -> None:
        if not type_:
            self._cypher.write(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row.props", rows)
            return
        arrow = f"(a)-[:{type_}]->(n:{label})" if inwards else f"(a)<-[:{type_}]-(n:{label})"
        self._cypher.write(
            f"UNWIND $rows AS row MATCH {_end('a', end, 'row.end')} CREATE {arrow} SET n = row.props", rows
        )

    def finish(self) -> None:
        """Nothing: all is drawn."""


def _sort_in(drawn: Drawn, things: dict[Any, Any], besides: dict[Any, Any], links: dict[Any, Any]) -> None:
    if isinstance(drawn, Thing):
        listed = things.setdefault((drawn.labels, drawn.again), [])
        listed.append({"key": list(drawn.end.key), "props": _plain(drawn.props)})
    elif isinstance(drawn, Beside):
        end = drawn.end
        listed = besides.setdefault((drawn.label, drawn.type, end.label if end else "", drawn.inwards), [])
        listed.append({"end": list(end.key) if end else None, "props": _plain(drawn.props)})
    else:
        assert isinstance(drawn, Link)
        listed = links.setdefault((drawn.type, drawn.start.label, drawn.end.label), [])
        listed.append({"start": list(drawn.start.key), "end": list(drawn.end.key), "props": drawn.props})


def _plain(props: dict[str, Any]) -> dict[str, Any]:
    return {name: bytearray(value) if isinstance(value, bytes) else value for name, value in props.items()}


def _end(variable: str, label: str, names: str) -> str:
    found = ", ".join(f"{name}: {names}[{at}]" for at, name in enumerate(KEYS[label]))
    return f"({variable}:{label} {{{found}}})"


def _placed(section: Section, rows: Iterator[Row]) -> Iterator[Row]:
    """Rows whose place counts what has one number: the counter that a transaction kept may have gaps."""
    before, place = None, 0
    for row in rows:
        mine = [row[name] for name in section.key if name != "place"]
        place = place + 1 if mine == before else 1
        before = mine
        yield {**row, "place": place}


def sorted_on_disk(section: Section, rows: Iterator[Row]) -> Iterator[Row]:
    """Rows in the section's order, by code points, whatever their number: they wait in a file that has no name."""
    columns = [f"k{at}" for at in range(len(section.key))]
    with closing(sqlite3.connect("")) as disk:
        disk.execute("pragma temp_store = file")
        disk.execute(f"create table line({', '.join(columns)}, body text)")
        disk.executemany(
            f"insert into line values ({', '.join('?' * (len(columns) + 1))})",
            ((*map(row.get, section.key), json.dumps(row)) for row in rows),
        )
        for (body,) in disk.execute(f"select body from line order by {', '.join(columns)}"):
            yield json.loads(body)
