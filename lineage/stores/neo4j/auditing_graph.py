"""What ``verify`` reads of nodes and edges in Neo4j. A page is a range of node ids, with or without nodes."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from lineage.stores.auditing import (
    AnswerAudit,
    AskingAudit,
    CitationAudit,
    ClaimAudit,
    EdgeAudit,
    Finding,
    NameAudit,
    NodeAudit,
    PastAudit,
    SplittingAudit,
)
from lineage.stores.neo4j.cypher import Cypher, as_row, parts
from lineage.stores.neo4j.keys import NEVER_SWEPT
from lineage.stores.neo4j.model import EDGES, PASSING, ROLE_CODE

Page = tuple[str, str]
LEAST, MOST = "", "\U0010ffff"
SIZE: Final = 2000


class GraphAuditing:
    """Reads keys, nodes and what stands beside them."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    settles_at_once = False

    def state(self) -> object:
        """Numbers that change whenever something is added."""
        return self._cypher.rows(STATE)

    def node_count(self) -> int:
        """How many nodes there are."""
        return int(self._cypher.one("MATCH (n:LineageNode) RETURN count(n)"))

    def node_ids(self, size: int) -> Iterator[list[str]]:
        """The ids of all nodes, in pages."""
        for low, high in self.pages(size):
            rows = self._cypher.rows(
                "MATCH (n:LineageNode) WHERE n.id > $low AND n.id <= $high RETURN n.id ORDER BY n.id",
                low=low, high=high,
            )  # fmt: skip
            if rows:
                yield [id_ for (id_,) in rows]

    def label(self, id_: str | None) -> str:
        """What people call a node, with its id."""
        if id_ is None:
            return "a node that does not exist"
        rows = self._cypher.rows(
            """MATCH (n:LineageNode {id: $id})
               RETURN n.kind, n.namespace, n.key, n.uri, n.edition, n.version, n.start, n.end, n:Span""",
            id=id_,
        )
        if not rows:
            return id_
        kind, space, key, uri, edition, number, start, end, span = rows[0]
        if span:
            where = f"v{number}" + (f" of edition {edition}" if edition != 1 else "")
            return f"span {uri} {where} [{start}, {end}) ({id_})"
        return f"{kind}:{space}/{key} ({id_})"

    def pages(self, size: int) -> Iterator[Page]:
        """Pages that together hold all nodes, and so all that a relationship joins to one."""
        low = LEAST
        while True:
            high = self._cypher.one(
                "MATCH (n:LineageNode) WHERE n.id > $low RETURN n.id ORDER BY n.id SKIP $skip LIMIT 1",
                low=low, skip=size - 1,
            )  # fmt: skip
            yield low, MOST if high is None else high
            if high is None:
                return
            low = high

    def _page(self, statement: str, page: Page, **parameters: Any) -> Iterator[list[Any]]:
        return self._cypher.stream(PAGE + statement, low=page[0], high=page[1], **parameters)

    def nodes(self, page: Page) -> list[NodeAudit]:
        """The nodes of a page."""
        return [NodeAudit._make(row) for row in self._page(NODES, page)]

    def names(self, size: int) -> Iterator[list[NameAudit]]:
        """All keys, in pages."""
        found: list[NameAudit] = []
        for kind, space, key, current, nodes, retired, swept, seeds in self._cypher.stream(KEYS):
            found.append(
                NameAudit(
                    kind, space, key, bool(current), current[0] if current else None,
                    [(id_, first, last, run) for id_, first, last, run in nodes],
                    [(begin, run) for begin, run in (*retired, *(() if kind in NEVER_SWEPT else swept))],
                    [(node, run) for node, run in seeds],
                )
            )  # fmt: skip
            if len(found) == size:
                yield found
                found = []
        if found:
            yield found

    def edges(self, page: Page) -> Iterator[EdgeAudit]:
        """The current edges of a page's nodes to their inputs, by node."""
        for row in self._page(EDGE_ROWS, page):
            yield EdgeAudit(*row)

    def past_edges(self, page: Page) -> Iterator[EdgeAudit]:
        """The edges of a page's nodes that are history, by node."""
        for *row, until, run, filed, filed_until in self._page(PAST_EDGES, page):
            yield EdgeAudit._make((*row, None, None, None, None, until, run, filed, filed_until))

    def past_derivations(self, page: Page) -> Iterator[PastAudit]:
        """The derivations of a page's nodes that are history."""
        for row in self._page(PAST_DERIVATIONS, page):
            yield PastAudit._make(row)

    def purging(self) -> Iterator[tuple[str, int, int, int]]:
        """(node, purged, purged inputs, other inputs) of derived nodes that are purged or have purged inputs.

        Inputs that were replaced count as far as they are purged.
        """
        yield from map(as_row, self._cypher.stream(PURGING))

    def cycle(self) -> list[str] | None:
        """A path of current edges that leads back to where it began."""
        # Nodes without inputs are taken away, again and again. Of each other one twelve bytes are kept: the first
        # eight of its id's digest, and how many inputs it still waits for.
        digests, counts = array("Q"), array("i")
        for id_, count in self._cypher.stream(WAITING):
            digests.append(_digest(id_))
            counts.append(count)
        order = sorted(range(len(digests)), key=digests.__getitem__)
        digests = array("Q", [digests[at] for at in order])
        counts = array("i", [counts[at] for at in order])
        del order
        left = len(counts)
        frontier: list[str] = []

        def served(src: str) -> None:
            at = bisect_left(digests, _digest(src))
            counts[at] -= 1
            if not counts[at]:
                frontier.append(src)

        for (src,) in self._cypher.stream(FIRST):
            served(src)
        while frontier:
            left -= len(frontier)
            done, frontier[:] = list(frontier), []
            for part in parts(done):
                for (src,) in self._cypher.rows(ABOVE, rows=list(part)):
                    served(src)
        if not left:
            return None
        start = next(id_ for id_, _ in self._cypher.stream(WAITING) if counts[bisect_left(digests, _digest(id_))])
        return self._way_back(start, digests, counts)

    def _way_back(self, start: str, digests: array[int], counts: array[int]) -> list[str]:
        # Every node that is left has an input that is left, so that walking down must come back.
        path, places = [start], {start: 0}
        while True:
            for (below,) in self._cypher.rows(BELOW, id=path[-1]):
                at = bisect_left(digests, _digest(below))
                if at < len(digests) and digests[at] == _digest(below) and counts[at]:
                    break
            else:
                # The edges changed meanwhile.
                return path
            if below in places:
                return [*path[places[below] :], below]
            places[below] = len(path)
            path.append(below)

    # what stands beside

    def unrecorded(self) -> Iterator[Finding]:
        """What edges say of the documents and namespaces that a namespace derives from, and it does not itself."""
        for space, uri in self._cypher.stream(UNRECORDED_DOCUMENTS):
            yield f"namespace {space}", "document, namespace, DERIVES_FROM (that edges say it derives from)", None, uri
        for space, other in self._cypher.stream(UNRECORDED_INPUTS):
            yield f"namespace {space}", "input, namespace, READS (that edges say it derives from)", None, other

    def beside(self) -> Iterator[Finding]:
        """What stands beside nodes and versions and says otherwise than they do."""
        last = self._cypher.one("MATCH (s:LineageStore) RETURN coalesce(max(s.sequence), 0)")
        for statement in BESIDE:
            yield from map(as_row, self._cypher.stream(statement, last=last))

    def answers(self) -> Iterator[AnswerAudit]:
        """What answers have beside their texts. When one was asked first, its key says."""
        for id_, kind, first, last, first_asked, last_asked, question, searched in self._cypher.stream(ANSWERS):
            listed = json.dumps(searched) if searched else None
            yield AnswerAudit(id_, kind, first, first, last, first_asked, last_asked, question, listed, 0)

    def askings(self) -> Iterator[AskingAudit]:
        """All askings."""
        for row in self._cypher.stream(
            """MATCH (r)-[a:ASKED]->(n) RETURN CASE WHEN n:LineageNode THEN n.id END, n.kind,
                 CASE WHEN r:Run THEN r.id END, r.begin, a.seq, coalesce(n.kind IN r.kinds, false)"""
        ):
            yield AskingAudit._make(row)

    def claims(self) -> Iterator[ClaimAudit]:
        """What claims have beside their texts."""
        for page in self.pages(SIZE):
            rows = list(self._page(CLAIMS, page))
            asked = {
                (space, key, number)
                for space, key, number in self._cypher.write(
                    ASKED_AT, [[row[2], _answer_key(row[3]), [row[6], row[7]]] for row in rows]
                )
            }
            for id_, kind, space, key, needs, answers, first, last in rows:
                yield ClaimAudit(
                    id_, kind, space, key, needs, tuple((each[0], each[1]) for each in answers),
                    (space, _answer_key(key), first) in asked, (space, _answer_key(key), last) in asked,
                )  # fmt: skip

    def citations(self) -> Iterator[CitationAudit]:
        """All citations."""
        for row in self._cypher.stream(CITATIONS):
            yield CitationAudit._make(row)

    def has_finding(self, run: str, kind: str, starts: tuple[str, ...], end: str, what: str) -> bool:
        """Whether a run kept a finding at a place that begins as one of ``starts`` and ends with ``end``."""
        return bool(
            self._cypher.one(
                """RETURN EXISTS { MATCH (:Run {id: $run})-[:FOUND]->(f:Finding) WHERE f.kind = $kind AND f.what = $what
                     AND f.place ENDS WITH $end AND any(start IN $starts WHERE f.place STARTS WITH start) }""",
                run=run, kind=kind, what=what, end=end, starts=list(starts),
            )
        )  # fmt: skip

    # judgments

    def choices(self) -> Iterator[tuple[str, int, bool, int]]:
        """(judgment key, number, whether there is such a verdict, seq) of all choices between verdicts."""
        yield from map(
            as_row,
            self._cypher.stream(
                """MATCH (c:JudgmentChoice) RETURN c.key, c.number,
                 EXISTS { MATCH (:Judgment {key: c.key, number: c.number}) }, c.seq"""
            ),
        )

    def scores(self) -> Iterator[tuple[str | None, str | None, str, int]]:
        """(node, its kind, body, seq) of all scores that were kept."""
        yield from map(
            as_row,
            self._cypher.stream(
                """MATCH (s:Score) OPTIONAL MATCH (s)-[:SCORES]->(n:LineageNode)
               RETURN n.id, n.kind, s.body, s.seq"""
            ),
        )

    def splittings(self) -> Iterator[SplittingAudit]:
        """All splittings of claims."""
        for row in self._cypher.stream(
            """MATCH (s:Splitting) OPTIONAL MATCH (s)-[:SPLITS]->(n:LineageNode)
               RETURN n.id, n.kind, coalesce(n.purged, false), s.parts, s.seq"""
        ):
            yield SplittingAudit(*row)


def _digest(id_: str) -> int:
    return int.from_bytes(sha256(id_.encode()).digest()[:8])


def _answer_key(key: str | None) -> str:
    """The key of the answer that a claim's key names."""
    try:
        said: Any = json.loads(key or "")
    except ValueError:
        return ""
    return said[0] if isinstance(said, list) and said and isinstance(said[0], str) else ""


STATE: Final = """
MATCH (s:LineageStore) RETURN s.sequence, s.writes, COUNT { MATCH (n) }, COUNT { MATCH ()-[r]->() }
"""

PAGE: Final = "MATCH (n:LineageNode) WHERE n.id > $low AND n.id <= $high WITH n ORDER BY n.id\n"

NODES: Final = f"""
OPTIONAL MATCH (r:Run {{id: n.run}})
WITH n, r,
    COLLECT {{ MATCH (n)<-[t:NAMES]-(k:Key) RETURN [k.kind, t.first, t.last] ORDER BY t.first LIMIT 1 }}[0] AS name
RETURN n.id, n.kind, n.namespace, n.key, name[0], n.sha256, n.attributes, name[1], name[2], r.id, r.begin, r.derived,
    n.begin, n.derived, n.made, n.lineage, coalesce(n.unsettled, 0), n.purged, n.title, n.reason, n.details,
    n:Span, n:Answer, n:Claim, EXISTS {{ (n)<-[:SEEDS]-(c:Cause) WHERE c.type = 2 }},
    NOT EXISTS {{ (n)-[:{EDGES}]->() }} AND NOT EXISTS {{ (n)-[:WAS_MADE]->() }}
"""

KEYS: Final = """
MATCH (k:Key)
RETURN k.kind, k.namespace, k.key, COLLECT { MATCH (k)-[:CURRENT]->(n) RETURN n.id },
    COLLECT { MATCH (k)-[t:NAMES]->(n:LineageNode) RETURN [n.id, t.first, t.last, n.run] },
    COLLECT { MATCH (r:Run)-[:RETIRED]->(k) RETURN [r.begin, r.id] },
    COLLECT { MATCH (r:Run {namespace: k.namespace}) WHERE r.complete AND k.kind IN r.kinds RETURN [r.begin, r.id] },
    COLLECT { MATCH (k)-[:NAMES]->(n:LineageNode)<-[:SEEDS]-(c:Cause) WHERE c.type = 1
              OPTIONAL MATCH (r:Run {id: c.id}) RETURN [n.id, r.id] }
"""

STANDS: Final = """EXISTS { MATCH (d)-[:ANCHORED_IN]->(v:DocumentVersion)
        WHERE v.uri = d.uri AND v.edition = d.edition AND v.number = e.version }"""

EDGE_ROWS: Final = f"""
OPTIONAL MATCH (n)<-[t:NAMES]-(:Key)
WITH n, min(t.first) AS named MATCH (n)-[e:{EDGES}]->(d)
RETURN n.id, n.kind, CASE WHEN d:LineageNode THEN d.id END, d.kind, e.role, e.origins, e.version IS NOT NULL,
    {STANDS}, e.since, e.ext, n.made, n.begin, n.derived, named ORDER BY n.id
"""

PAST_EDGES: Final = f"""
MATCH (n)-[e:FORMERLY]->(d)
RETURN n.id, n.kind, CASE WHEN d:LineageNode THEN d.id END, d.kind, e.role, e.origins, e.version IS NOT NULL,
    {STANDS}, e.since, e.ext, e.until, COLLECT {{ MATCH (r:Run {{id: e.run}}) RETURN r.id }}[0],
    EXISTS {{ (n)-[:WAS_MADE]->(m) WHERE m.run = e.run }},
    EXISTS {{ (n)-[:WAS_MADE]->(m) WHERE m.run = e.run AND m.until = e.until }}
ORDER BY n.id, e.run, e.until
"""

PAST_DERIVATIONS: Final = """
MATCH (n)-[:WAS_MADE]->(m:Making) OPTIONAL MATCH (r:Run {id: m.run})
WITH n, m, r, COLLECT { MATCH (n)-[f:FORMERLY]->() WHERE f.run = m.run AND f.until = m.until AND f.since < f.until
                        RETURN DISTINCT f.since } AS began
RETURN n.id, n.kind, r.id, r.begin, r.derived, m.begin, m.derived, m.made, m.lineage, m.until, n.begin, n.derived,
    coalesce(n.made = m.until, false) OR EXISTS { (n)-[:WAS_MADE]->(o) WHERE o.made = m.until }
    OR EXISTS { (n)-[f:FORMERLY]->() WHERE f.run = m.run AND f.until = m.until }
    OR NOT EXISTS { (n)-[f:FORMERLY]->() WHERE f.run = m.run },
    m.made IN began OR all(since IN began WHERE since > m.made)
ORDER BY n.id
"""

PURGING: Final = f"""
MATCH (n:LineageNode) WHERE NOT n:Span
WITH n, COUNT {{ (n)-[:{PASSING}]->(i) WHERE i.purged }} AS now
WHERE n.purged OR now > 0
RETURN n.id, n.purged,
    now + COUNT {{ (n)-[f:FORMERLY]->(i) WHERE f.role <= {ROLE_CODE["retrieved"]} AND i.purged }},
    COUNT {{ (n)-[:{PASSING}]->(i) WHERE NOT coalesce(i.purged, false) }}
"""

WAITING: Final = f"""
MATCH (n:LineageNode) WITH n, COUNT {{ (n)-[:{EDGES}]->(:LineageNode) }} AS inputs WHERE inputs > 0 RETURN n.id, inputs
"""
FIRST: Final = f"""
MATCH (d:LineageNode) WHERE NOT EXISTS {{ (d)-[:{EDGES}]->(:LineageNode) }}
MATCH (s:LineageNode)-[:{EDGES}]->(d) RETURN s.id
"""
ABOVE: Final = f"UNWIND $rows AS id MATCH (s:LineageNode)-[:{EDGES}]->(:LineageNode {{id: id}}) RETURN s.id"
BELOW: Final = f"MATCH (:LineageNode {{id: $id}})-[:{EDGES}]->(d:LineageNode) RETURN d.id"

UNRECORDED_DOCUMENTS: Final = f"""
MATCH (n:LineageNode)-[:{EDGES}]->(p:Span) WITH DISTINCT n.namespace AS space, p.uri AS uri
WHERE NOT EXISTS {{ MATCH (:Namespace {{name: space}})-[:DERIVES_FROM]->(:Document {{uri: uri}}) }} RETURN space, uri
"""
UNRECORDED_INPUTS: Final = f"""
MATCH (n:LineageNode)-[:{EDGES}]->(i:LineageNode) WHERE n.namespace <> i.namespace
WITH DISTINCT n.namespace AS space, i.namespace AS other
WHERE NOT EXISTS {{ MATCH (:Namespace {{name: space}})-[:READS]->(:Namespace {{name: other}}) }} RETURN space, other
"""

ANSWERS: Final = """
MATCH (n:LineageNode) WHERE n:Answer
WITH n, COLLECT { MATCH (n)<-[t:NAMES]-(:Key) RETURN [t.first, t.last] LIMIT 1 }[0] AS named,
    COLLECT { MATCH (n)<-[a:ASKED]-() RETURN a.seq ORDER BY a.seq } AS asked
RETURN n.id, n.kind, named[0], named[1], asked[0], asked[-1], n.question IS NOT NULL, n.searched
"""

CLAIMS: Final = """
WITH n WHERE n:Claim
WITH n, COLLECT { MATCH (n)<-[t:NAMES]-(:Key) RETURN [t.first, t.last] LIMIT 1 }[0] AS named
RETURN n.id, n.kind, n.namespace, n.key, n.needs_evidence,
    COLLECT { MATCH (n)<-[e:HAS_CLAIM|FORMERLY]-(a) WHERE e.role = 0 RETURN DISTINCT [a.namespace, a.key] },
    named[0], named[1]
"""
ASKED_AT: Final = """
UNWIND $rows AS row MATCH (:Key {kind: 'answer', namespace: row[0], key: row[1]})-[:NAMES]->()<-[a:ASKED]-()
WHERE a.seq IN row[2] RETURN DISTINCT row[0], row[1], a.seq
"""

CITATIONS: Final = f"""
MATCH (c:Citation) OPTIONAL MATCH (c)-[:PRINTED_IN]->(n:LineageNode) OPTIONAL MATCH (r:Run {{id: c.run}})
OPTIONAL MATCH (d:LineageNode {{id: c.target}})
WITH n, c, r, d, {{version: c.version}} AS e
RETURN n.id, coalesce(n:Claim, false), coalesce(c.run = n.run, false), r.id, c.number, c.marker, n.label,
    c.target IS NOT NULL, d.id, d.kind, EXISTS {{ (n)-[:CITES]->(d) }},
    EXISTS {{ (n)-[f:FORMERLY]->(d) WHERE f.role = {ROLE_CODE["cites"]} }},
    c.version IS NOT NULL, {STANDS}, c.start, c.end,
    CASE WHEN coalesce(c.start, c.end) IS NULL OR d.purged THEN null ELSE d.text END, c.whole, n.namespace, n.key
"""

_OF: Final = "n.kind + ':' + n.namespace + '/' + n.key + ' (' + n.id + ')'"
BESIDE: Final = (
    # A node says its key itself, and the key says what it names.
    f"""MATCH (k:Key)-[:NAMES]->(n:LineageNode)
        WHERE NOT coalesce(n.namespace = k.namespace AND n.key = k.key AND n.kind = k.kind, false)
        RETURN coalesce({_OF}, n.id), 'kind, namespace, key (Key that names it)', [n.kind, n.namespace, n.key],
            [k.kind, k.namespace, k.key]""",
    f"""MATCH (n:LineageNode) WITH n, COUNT {{ (n)<-[:NAMES]-(:Key) }} AS keys
        WHERE keys <> CASE WHEN n:Span THEN 0 ELSE 1 END
        RETURN coalesce({_OF}, n.id), 'NAMES (keys that name it)', keys, CASE WHEN n:Span THEN 0 ELSE 1 END""",
    """MATCH (k:Key) WITH k, COUNT { (k)-[:CURRENT]->() } AS many WHERE many > 1
        RETURN 'key ' + k.kind + ':' + k.namespace + '/' + k.key, 'current', many, 'at most one'""",
    # A version says its document itself.
    """MATCH (v:DocumentVersion)-[:VERSION_OF]->(d:Document) WHERE NOT coalesce(v.uri = d.uri, false)
       RETURN 'version ' + v.id, 'uri', v.uri, d.uri""",
    """MATCH (d:Document)<-[:VERSION_OF]-(v:DocumentVersion) WHERE v.number > 1
       MATCH (f:DocumentVersion {uri: v.uri, edition: v.edition, number: 1})
       WHERE coalesce(v.edition_seq, 0) <> coalesce(f.edition_seq, 0)
       RETURN v.uri + ' edition ' + v.edition + ' v' + v.number, 'edition_seq', v.edition_seq, f.edition_seq""",
    """MATCH (d:Document)<-[:VERSION_OF]-(v:DocumentVersion) WHERE v.current
       WITH d, v.edition AS edition, count(*) AS many, collect(v.number) AS numbers WHERE many > 1
       RETURN d.uri + ' edition ' + edition, 'current', numbers, 'one version'""",
    """MATCH (v:DocumentVersion) WHERE v.base IS NOT NULL AND v.source_number IS NOT NULL
       OR (v.source_number IS NULL) <> (v.source_edition IS NULL)
       RETURN v.uri + ' edition ' + v.edition + ' v' + v.number, 'base, source_edition, source_number',
           [v.base, v.source_edition, v.source_number], 'a base, or a whole source, or none'""",
    # What is beside a node repeats its id.
    """MATCH (c:Citation)-[:PRINTED_IN]->(n) WHERE NOT coalesce(c.claim = n.id, false)
       RETURN coalesce('citation ' + c.number + ' by ' + c.run, elementId(c)), 'claim', c.claim, n.id""",
    """MATCH (c:Citation) WITH c.claim AS claim, c.run AS run, c.number AS number, count(*) AS many WHERE many > 1
       RETURN 'citation ' + number + ' of ' + claim + ' by ' + run, 'number', many, 'one'""",
    """MATCH (d:Decision)-[:DECIDES_ON]->(n) WHERE NOT coalesce(d.node = n.id, false)
       RETURN coalesce('decision ' + d.seq + ' on ' + d.cause, elementId(d)), 'node', d.node, n.id""",
    """MATCH (j:Judgment)-[s:SHOWN]->(p:Passage) WHERE NOT coalesce(s.source = p.source, false)
       RETURN 'judgment ' + j.key, 'source (of a passage shown)', s.source, p.source""",
    """MATCH (j:Judgment) WHERE j.number <> 1 AND NOT EXISTS { MATCH (:Judgment {key: j.key, number: 1}) }
       RETURN 'judgment ' + j.key, 'number', j.number, 'after a first one'""",
    """MATCH (g:Judge) WHERE NOT EXISTS { (g)<-[:GIVEN_BY|CALIBRATES|SPLIT_BY]-() }
       RETURN 'judge ' + g.name + '@' + g.version, 'judgments, calibrations, splittings', 0, 'at least one'""",
    """MATCH (s:Splitting)-[:SPLITS]->(n) WHERE s.node <> n.id
       RETURN 'splitting ' + s.seq + ' of ' + s.node, 'node', s.node, n.id""",
    """MATCH (a:Alias) WHERE NOT EXISTS { (a)-[:IS_ALIAS_OF]->(:LineageNode) }
       RETURN 'alias ' + a.alias, 'node', null, 'a node'""",
    """MATCH (a:Alias)-[:IS_ALIAS_OF]->(n:LineageNode) WHERE NOT coalesce(a.namespace = n.namespace, false)
       RETURN 'alias ' + a.alias, 'namespace', a.namespace, n.namespace""",
    # Namespaces.
    """MATCH (x:Run|Key) WITH DISTINCT x.namespace AS name
       WHERE name IS NOT NULL AND NOT EXISTS { MATCH (:Namespace {name: name}) }
       RETURN 'namespace ' + name, 'Namespace', null, 'a namespace that runs and keys are of'""",
    """MATCH (s:Namespace)-[r:DERIVES_FROM]->() WHERE NOT coalesce(0 <= r.seq <= $last, false)
       RETURN 'namespace ' + s.name, 'seq', r.seq, 'at most the last number given'""",
    """MATCH (s:Namespace)-[:READS]->(o) WHERE o = s RETURN 'namespace ' + s.name, 'input', o.name, 'two namespaces'""",
    # Marks.
    """MATCH (c:Cause)-[m:MARKS]->(n)
       WHERE m.queue IS NOT NULL AND m.queue <> CASE m.severity WHEN 2 THEN 2 ELSE 1 END
       RETURN 'mark of ' + c.id + ' at ' + n.id, 'queue, severity', m.queue, 'by its severity'""",
    """MATCH (c:Cause)-[m:MARKS]->(n) OPTIONAL MATCH (c)-[s:SEEDS]->(n)
       WITH c, m, n, s WHERE coalesce(m.readers, []) <> coalesce(s.readers, [])
       RETURN 'mark of ' + c.id + ' at ' + n.id, 'readers', m.readers, s.readers""",
    """MATCH (e:Event) WITH e.seq AS seq, min(e.at) AS first, max(e.at) AS last WHERE first <> last
       RETURN 'events with number ' + seq, 'at', last, first""",
)
"""(item, field, found, expected) of what contradicts what it stands beside."""
