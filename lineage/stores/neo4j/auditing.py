"""What ``verify`` reads of Neo4j: sources, runs, causes and the sequence. The layout, nodes and marks have modules
beside.

Rows of a table that a store has beside a node are labels and properties here, and what refers to another row by its
number is a relationship, or names it by its own words. What such a form cannot say is given as what it follows from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from lineage.stores.auditing import (
    CauseAudit,
    ChangeAudit,
    DocumentAudit,
    Finding,
    Place,
    RetiringAudit,
    RunAudit,
    SpanAudit,
    TextAudit,
    Unfinished,
    VersionAudit,
)
from lineage.stores.neo4j.auditing_graph import GraphAuditing
from lineage.stores.neo4j.auditing_layout import layout
from lineage.stores.neo4j.auditing_marks import MarkAuditing
from lineage.stores.neo4j.cypher import as_row
from lineage.stores.neo4j.keys import NEVER_SWEPT
from lineage.stores.neo4j.model import EDGES

PAGE: Final = 2000
DOCUMENTS: Final = 100
"""Documents of which all versions are read in one statement."""


class Auditing(GraphAuditing, MarkAuditing):
    """Reads everything and changes nothing. What refers to nothing is not passed over."""

    @contextmanager
    def lenient(self) -> Generator[None]:
        """Within it nothing is other: a server holds no bytes that are no text."""
        yield

    def storage(self) -> Iterator[Finding]:
        """Faults of the store's own means: constraints and indexes, and what the layout asks of the graph."""
        yield from layout(self._cypher, self.pages(PAGE))

    def counts(self) -> dict[str, int]:
        """How many texts, nodes, edges, spans and marks there are."""
        return {name: int(self._cypher.one(statement)) for name, statement in COUNTS.items()}

    def schema(self) -> int:
        """The number of the last step of the schema that was applied."""
        return int(self._cypher.one("MATCH (m:LineageMigration) RETURN max(m.number)"))

    def unsettled(self) -> int:
        """How many nodes have not read their inputs' marks."""
        return int(self._cypher.one("MATCH (n:LineageNode) WHERE n.unsettled = true RETURN count(n)"))

    def unfinished(self) -> list[Unfinished]:
        """The runs that have not ended, in order."""
        rows = self._cypher.rows(
            """MATCH (r:Run) WHERE r.finished IS NULL
               RETURN r.id, r.namespace, r.key, r.begin, r.at ORDER BY r.begin"""
        )
        return [Unfinished(*row) for row in rows]

    def log_size(self) -> int:
        """Nothing: a server does not tell."""
        return 0

    # the sequence

    def last_number(self) -> int:
        """The last number that the sequence says it gave."""
        return int(self._cypher.one("MATCH (s:LineageStore) RETURN coalesce(max(s.sequence), 0)"))

    def numbers(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Numbers that several things have that each got one of its own, and the last one of all that were given."""
        begins = {begin for (begin,) in self._cypher.stream("MATCH (r:Run) RETURN DISTINCT r.begin")}
        uses: dict[int, list[str]] = {}
        for what, statement in NUMBERS.items():
            found = (number for (number,) in self._cypher.stream(statement) if isinstance(number, int))
            if what in ALONE:
                for number in found:
                    uses.setdefault(number, []).append(what)
                continue
            word = what.split(":")[0]
            for number in {number for number in found if not (what in OR_RUN and number in begins)}:
                if word not in uses.setdefault(number, []):
                    uses[number].append(word)
        for number in sorted(uses):
            if len(uses[number]) > 1:
                yield number, tuple(sorted(uses[number]))
        yield max(uses, default=0), ()

    def given(self, number: int) -> Iterator[tuple[str, str | None, str]]:
        """(what, node, field) of some rows that have a number of the sequence."""
        yield from map(as_row, self._cypher.rows(GIVEN, number=number))

    # sources

    def texts(self) -> Iterator[TextAudit]:
        """All texts, where they stand, with their bodies: each node and each version has its own."""
        for statement in TEXTS:
            for of, sha256, body, purged in self._cypher.stream(statement):
                yield TextAudit(sha256 or "", body, not purged, of)
        # Whether the claim of a statement was purged, its judgment does not tell.
        for of, sha256, body in self._cypher.stream(STATEMENTS):
            yield TextAudit(sha256 or "", body, body is not None, of)
        for of, sha256, body, used, purged in self._cypher.stream(PASSAGES):
            yield TextAudit(sha256 or "", body, not purged if used else None, of)

    def documents(self) -> Iterator[DocumentAudit]:
        """All documents. An edition is there while one of its versions is current."""
        for uri, editions, versions in self._cypher.stream(
            """MATCH (d:Document) RETURN d.uri,
                 COLLECT { MATCH (d)<-[:VERSION_OF]-(v:DocumentVersion) WHERE v.current
                           RETURN DISTINCT v.edition AS edition ORDER BY edition },
                 COLLECT { MATCH (d)<-[:VERSION_OF]-(v:DocumentVersion)
                           RETURN DISTINCT v.edition AS edition ORDER BY edition }"""
        ):
            yield DocumentAudit(uri, tuple(editions), tuple(versions))

    def versions(self) -> Iterator[VersionAudit]:
        """All versions by document, edition and number."""
        after = ""
        while uris := [
            uri
            for (uri,) in self._cypher.rows(
                "MATCH (d:Document) WHERE d.uri > $after RETURN d.uri ORDER BY d.uri LIMIT $limit",
                after=after, limit=DOCUMENTS,
            )
        ]:  # fmt: skip
            after = uris[-1]
            made: dict[Place, tuple[str, int, int]] = {}
            for uri, edition, number, *cause in self._cypher.rows(MADE_BY, uris=uris):
                made[uri, edition, number] = (cause[0], cause[1], cause[2])
            rows = self._cypher.rows(VERSIONS, uris=uris)
            # A reader takes the version that says it is current; where several say so, one that should not.
            current: dict[tuple[str, int], int] = {}
            for uri, edition, number, *_, says_so, _based in rows:
                if says_so:
                    current.setdefault((uri, edition), number)
            for row in rows:
                yield _version(row, current.get((row[0], row[1])), made.get((row[0], row[1], row[2])))
        for row in self._cypher.stream(NO_DOCUMENT):
            yield _version(row, None, None)._replace(uri=None)

    def spans(self) -> Iterator[SpanAudit]:
        """All spans."""
        for id_, kind, purged, uri, edition, start, end, version, first_purged, *anchor in self._cypher.stream(SPANS):
            first = None if version is None else (uri, edition, version)
            place = None if anchor[0] is None else (anchor[0], anchor[1])
            yield SpanAudit(id_, kind, purged, uri, edition, start, end, first, first_purged, place)

    def first_spans(self, uri: str, edition: int, number: int, size: int) -> Iterator[list[str]]:
        """The spans whose first place is in a version and who are anchored there, in pages."""
        page: list[str] = []
        for (id_,) in self._cypher.stream(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition, number: $number})<-[:ANCHORED_IN]-(n:LineageNode)
               WHERE n:Span AND n.version = $number AND n.id IS NOT NULL RETURN n.id""",
            uri=uri, edition=edition, number=number,
        ):  # fmt: skip
            page.append(id_)
            if len(page) == size:
                yield page
                page = []
        if page:
            yield page

    def stray_anchors(self) -> Iterator[tuple[str | None, Place | None, int, int]]:
        """(span, place, start, end) of anchors that are of no span, or in another edition than their span."""
        for id_, known, uri, edition, number, start, end in self._cypher.stream(
            """MATCH (n)-[a:ANCHORED_IN]->(v)
               WHERE NOT (n:Span AND v:DocumentVersion
                          AND coalesce(v.uri = n.uri, false) AND coalesce(v.edition = n.edition, false))
               RETURN n.id, v:DocumentVersion, v.uri, v.edition, v.number, a.start, a.end"""
        ):
            yield id_, (uri, edition, number) if known else None, start, end

    def stray_readers(self) -> Iterator[tuple[str | None, str | None, Place | None]]:
        """(cause, node, version) of readers of seeds that do not exist, or of no version.

        A seed holds its readers itself, so that what can be wrong is the number.
        """
        for cause, node, uri, edition, number in self._cypher.stream(
            """MATCH (c)-[s:SEEDS]->(n) UNWIND s.readers AS number
               WITH c, n, number WHERE NOT EXISTS {
                   MATCH (v:DocumentVersion {uri: n.uri, edition: n.edition, number: number}) }
               RETURN c.id, n.id, n.uri, n.edition, number"""
        ):
            yield cause, node, (uri, edition, number)

    # runs and causes

    def runs(self) -> Iterator[RunAudit]:
        """All runs. What a complete run swept is what it named: that is how a sweep is kept."""
        for *said, complete, kinds in self._cypher.stream(
            """MATCH (r:Run) RETURN r.id, r.namespace, r.key, r.producer, r.body, r.derived, r.begin, r.at, r.finished,
                 r.complete, r.kinds ORDER BY r.begin"""
        ):
            named = tuple(kinds) if isinstance(kinds, list) else ()
            swept = tuple(kind for kind in named if complete and kind not in NEVER_SWEPT)
            yield RunAudit._make((*said, complete, named, swept))

    def namings(self) -> Iterator[tuple[str | None, str | None, bool]]:
        """(run, kind, borne out) of what runs say they named: some node's namings reach over the run."""
        begins: dict[str, list[int]] = {}
        reach: dict[str, list[int]] = {}
        for kind, first, last in self._cypher.stream(
            """MATCH (k:Key)-[t:NAMES]->() WITH k.kind AS kind, t.first AS first, max(t.last) AS last
               WHERE first IS NOT NULL RETURN kind, first, last ORDER BY kind, first"""
        ):
            begins.setdefault(kind, []).append(first)
            known = reach.setdefault(kind, [])
            known.append(max(last, known[-1] if known else last))
        for run, begin, kind in self._cypher.stream("MATCH (r:Run) UNWIND r.kinds AS kind RETURN r.id, r.begin, kind"):
            at = bisect_right(begins.get(kind, []), begin or 0)
            # Answers and claims are named as of their asking, which comes after the run's begin.
            asked = kind in ("answer", "claim") and kind in begins
            yield run, kind, asked or (at > 0 and reach[kind][at - 1] >= (begin or 0))

    def retirings(self) -> Iterator[RetiringAudit]:
        """All retirements. One is as of its run's begin; sweeps follow from what complete runs named."""
        for kind, space, key, known, run, begin in self._cypher.stream(
            """MATCH (r)-[:RETIRED]->(k) RETURN k.kind, k.namespace, k.key, k:Key,
                 CASE WHEN r:Run THEN r.id END, r.begin"""
        ):
            yield RetiringAudit(f"retirement of {kind}:{space}/{key}", known, False, begin, run, begin, True)

    def causes(self) -> Iterator[CauseAudit]:
        """All causes. A run's replacements have that run's id."""
        for *said, changes in self._cypher.stream(CAUSES):
            yield CauseAudit._make((*said, [_change(change) for change in changes]))


def _version(row: Sequence[Any], current: int | None, cause: tuple[str, int, int] | None) -> VersionAudit:
    uri, edition, number, id_, sha256, base, source_edition, source_number, alignment, *rest, _, based = row
    seq, at, purged, edition_seq = rest
    place: Place | None = None
    if based:
        place = (uri, edition, base) if base is not None else (uri, source_edition, source_number)
    name, cause_seq, cause_at = cause or (None, None, None)
    return VersionAudit(
        uri, edition, number, id_, sha256, place, alignment, seq, at, purged, edition_seq, current, name, cause_seq,
        cause_at,
    )  # fmt: skip


def _change(row: Sequence[Any]) -> ChangeAudit:
    uri, edition, kind, source, target_edition, target, held, made = row
    nothing: list[Any] = [None] * 6
    seq, at, base, source_edition, source_number, text = made or nothing
    to: Place | None = None if made is None else (uri, target_edition, target)
    based: Place | None = None
    if base is not None:
        based = (uri, target_edition, base)
    elif source_number is not None:
        based = (uri, source_edition, source_number)
    return ChangeAudit(uri, edition, kind, (uri, edition, source) if held else None, to, seq, at, based, bool(text))


COUNTS: Final = {
    "text": "MATCH (n:LineageNode) RETURN count(n)",
    "node": "MATCH (n:LineageNode) RETURN count(n)",
    "edge": f"MATCH ()-[e:{EDGES}]->() RETURN count(e)",
    "span": "MATCH (n:Span) RETURN count(n)",
    "mark": "MATCH ()-[m:MARKS]->() RETURN count(m)",
}

TEXTS: Final = (
    """MATCH (n:LineageNode) WHERE NOT n:Span
       RETURN n.kind + ':' + n.namespace + '/' + n.key + ' (' + n.id + ')', n.sha256, n.text, n.purged""",
    """MATCH (v:DocumentVersion) WHERE v.sha256 IS NOT NULL OR v.text IS NOT NULL
       RETURN v.uri + ' edition ' + v.edition + ' v' + v.number, v.sha256, v.text, v.purged""",
)
STATEMENTS: Final = "MATCH (j:Judgment) RETURN 'judgment ' + j.key, j.statement_sha256, j.statement"
PASSAGES: Final = """
MATCH (p:Passage) OPTIONAL MATCH (n:LineageNode {id: p.source}) OPTIONAL MATCH (v:DocumentVersion {id: p.source})
RETURN 'passage of ' + p.source, p.sha256, p.text, EXISTS { (p)<-[:SHOWN]-(:Judgment) },
       coalesce(n.purged, v.purged, false)
"""

MADE_BY: Final = """
MATCH (d:Document)<-[g:CHANGED]-(c:Cause) WHERE d.uri IN $uris
RETURN d.uri, g.target_edition, g.target, c.id, c.seq, c.at
"""
VERSION: Final = """v.edition, v.number, v.id, v.sha256, v.base, v.source_edition, v.source_number, v.alignment, v.seq,
    v.at, v.purged, v.edition_seq, v.current,
    EXISTS { MATCH (b:DocumentVersion {uri: v.uri, edition: CASE WHEN v.base IS NULL THEN v.source_edition
             ELSE v.edition END, number: coalesce(v.base, v.source_number)}) }"""
VERSIONS: Final = f"""
MATCH (d:Document)<-[:VERSION_OF]-(v:DocumentVersion) WHERE d.uri IN $uris
RETURN d.uri, {VERSION} ORDER BY d.uri, v.edition, v.number
"""
NO_DOCUMENT: Final = f"""
MATCH (v:DocumentVersion) WHERE NOT EXISTS {{ (v)-[:VERSION_OF]->(:Document) }} RETURN v.uri, {VERSION}
"""

SPANS: Final = """
MATCH (n:LineageNode) WHERE n:Span
OPTIONAL MATCH (v:DocumentVersion {uri: n.uri, edition: n.edition, number: n.version})
RETURN n.id, n.kind, n.purged, n.uri, n.edition, n.start, n.end, v.number, v.purged,
    COLLECT { MATCH (n)-[a:ANCHORED_IN]->(v) RETURN a.start LIMIT 1 }[0],
    COLLECT { MATCH (n)-[a:ANCHORED_IN]->(v) RETURN a.end LIMIT 1 }[0]
"""

CAUSES: Final = """
MATCH (c:Cause) OPTIONAL MATCH (r:Run {id: c.id})
RETURN c.id, coalesce(c.type, -1), c.seq, c.at, c.reason, c.by, r.id, r.begin, r.at, c.edition,
    COLLECT { MATCH (c)-[g:CHANGED]->(d:Document)
              OPTIONAL MATCH (s:DocumentVersion {uri: d.uri, edition: g.edition, number: g.source})
              OPTIONAL MATCH (t:DocumentVersion {uri: d.uri, edition: g.target_edition, number: g.target})
              RETURN [d.uri, g.edition, g.kind, g.source, g.target_edition, g.target, s IS NOT NULL,
                  CASE WHEN t IS NULL THEN null ELSE [t.seq, t.at, t.base, t.source_edition, t.source_number,
                      t.sha256 IS NOT NULL] END] ORDER BY d.uri, g.edition }
ORDER BY c.seq, c.id
"""

ALONE: Final = frozenset({"run", "asking", "decision", "statement"})
"""What has a number of its own in each row; of other things several rows may have one."""
OR_RUN: Final = frozenset({"derivation:since", "derivation:made", "derivation:was made", "derivation:was since"})
"""What is made when its run begins has that number."""
NUMBERS: Final = {
    "run": "MATCH (r:Run) RETURN r.begin",
    "asking": "MATCH (:Run)-[a:ASKED]->() RETURN a.seq",
    "decision": "MATCH (d:Decision) RETURN d.seq",
    "statement": """MATCH (s:Statement)-[:SAID_OF]->(v:DocumentVersion) WHERE NOT EXISTS {
        MATCH (:Document {uri: v.uri})<-[g:CHANGED]-(c:Cause) WHERE c.seq = s.seq AND (
            (g.edition = v.edition AND g.source = v.number) OR (g.target_edition = v.edition AND g.target = v.number))
        } RETURN s.seq""",
    "version": "MATCH (v:DocumentVersion) RETURN DISTINCT v.seq",
    "derivation:since": f"MATCH (:LineageNode)-[e:{EDGES}]->() RETURN DISTINCT e.since",
    "derivation:made": "MATCH (n:LineageNode) WHERE n.made IS NOT NULL RETURN DISTINCT n.made",
    "derivation:was made": "MATCH (m:Making) RETURN DISTINCT m.made",
    "derivation:until": "MATCH (m:Making) RETURN DISTINCT m.until",
    "derivation:was since": "MATCH ()-[f:FORMERLY]->() RETURN DISTINCT f.since",
    "derivation:was until": "MATCH ()-[f:FORMERLY]->() RETURN DISTINCT f.until",
    "mark": "MATCH ()-[m:MARKS]->() RETURN DISTINCT m.since",
    "mark:since": "MATCH ()-[m:MARKED]->() RETURN DISTINCT m.since",
    "mark:until": "MATCH ()-[m:MARKED]->() RETURN DISTINCT m.until",
    "mark:event": "MATCH (e:Event) RETURN DISTINCT e.seq",
    "judgment": "MATCH (j:Judgment) RETURN DISTINCT j.seq",
    "choice of a judgment": "MATCH (c:JudgmentChoice) RETURN DISTINCT c.seq",
    "calibration": "MATCH (c:Calibration) RETURN DISTINCT c.seq",
    "score": "MATCH (s:Score) RETURN DISTINCT s.seq",
    "splitting": "MATCH (s:Splitting) RETURN DISTINCT s.seq",
}
"""What got numbers of the sequence, each with all that it got."""

GIVEN: Final = f"""
CALL () {{
    MATCH (r:Run {{begin: $number}}) RETURN 'run ' + r.id AS what, null AS node, 'begin' AS field
    UNION ALL MATCH (v:DocumentVersion {{seq: $number}}) RETURN v.uri + ' v' + v.number AS what, null AS node,
        'seq' AS field
    UNION ALL MATCH (s:Statement {{seq: $number}})-[:SAID_OF]->(v)
        RETURN v.uri + ' v' + v.number + ' statement' AS what, null AS node, 'seq, version' AS field
    UNION ALL MATCH (n)<-[a:ASKED]-() WHERE a.seq = $number RETURN 'asking of' AS what, n.id AS node, 'asked' AS field
    UNION ALL MATCH (d:Decision {{seq: $number}}) RETURN 'decision on' AS what, d.node AS node, 'seq' AS field
    UNION ALL MATCH (n)-[e:{EDGES}]->() WHERE e.since = $number WITH DISTINCT n LIMIT 20
        RETURN 'edge of' AS what, n.id AS node, 'since' AS field
    UNION ALL MATCH (n:LineageNode {{made: $number}}) WITH n LIMIT 20
        RETURN 'making of' AS what, n.id AS node, 'made' AS field
    UNION ALL MATCH (n)-[:WAS_MADE]->(m) WHERE $number IN [m.made, m.until] RETURN 'past making of' AS what,
        n.id AS node, CASE m.made WHEN $number THEN 'made' ELSE 'until' END AS field
    UNION ALL MATCH (n)-[f:FORMERLY]->() WHERE $number IN [f.since, f.until] RETURN 'past edge of' AS what,
        n.id AS node, CASE f.since WHEN $number THEN 'since' ELSE 'until' END AS field
    UNION ALL MATCH (n)<-[m:MARKS]-() WHERE m.since = $number RETURN 'mark of' AS what, n.id AS node, 'since' AS field
    UNION ALL MATCH (n)<-[m:MARKED]-() WHERE $number IN [m.since, m.until] RETURN 'past mark of' AS what,
        n.id AS node, CASE m.since WHEN $number THEN 'since' ELSE 'until' END AS field
    UNION ALL MATCH (e:Event {{seq: $number}}) RETURN 'event of' AS what, e.node AS node, 'seq' AS field
    UNION ALL MATCH (j:Judgment {{seq: $number}}) RETURN 'judgment ' + j.key AS what, null AS node, 'seq' AS field
    UNION ALL MATCH (c:JudgmentChoice {{seq: $number}}) RETURN 'choice of judgment ' + c.key AS what, null AS node,
        'seq' AS field
    UNION ALL MATCH (c:Calibration {{seq: $number}}) RETURN 'calibration ' + c.labels AS what, null AS node,
        'seq' AS field
    UNION ALL MATCH (s:Score {{seq: $number}})-[:SCORES]->(n) RETURN 'score of' AS what, n.id AS node, 'seq' AS field
    UNION ALL MATCH (s:Splitting {{seq: $number}}) RETURN 'splitting of' AS what, s.node AS node, 'seq' AS field
}} RETURN what, node, field LIMIT 20
"""
