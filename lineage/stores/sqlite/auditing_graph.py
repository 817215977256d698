"""What ``verify`` reads of nodes and edges in SQLite. A page is a range of row numbers, with or without nodes."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterator

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
from lineage.stores.sqlite.codes import ROLE_CODE, Codes, bytes_digest, chunks, digest_of, id_of, one
from lineage_schema.judgments import JUDGMENT_TAG

Page = tuple[int, int]
LEAST, MOST = -(2**63), 2**63 - 1


class GraphAuditing:
    """Reads keys, nodes and what stands beside them."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes
        connection.create_function("bytes_digest", 1, bytes_digest, deterministic=True)

    settles_at_once = True

    def _kind(self, code: int | None) -> str | None:
        if code is None:
            return None
        name: str | None = one(self._connection, "select name from kind where id = ?", (code,))
        return name

    def _kinds(self) -> dict[int | None, str]:
        return dict(self._connection.execute("select id, name from kind"))

    def node_count(self) -> int:
        """How many nodes there are."""
        return int(one(self._connection, "select count(*) from node"))

    def node_ids(self, size: int) -> Iterator[list[str]]:
        """The ids of all nodes, in pages."""
        for low, high in self.pages(size):
            rows = self._connection.execute("select hash from node where id > ? and id <= ? order by id", (low, high))
            found = [id_of(digest) for (digest,) in rows]
            if found:
                yield found

    def label(self, id_: str | None) -> str:
        """What people call a node, with its id."""
        if id_ is None:
            return "a node that does not exist"
        row = self._connection.execute(
            """select k.name, s.name, a.key, d.uri, p.edition, v.number, p.start, p.stop from node n
               left join kind k on k.id = n.kind left join name a on a.id = n.name
               left join namespace s on s.id = a.namespace left join span p on p.node = n.id
               left join document d on d.id = p.document left join version v on v.id = p.version where n.hash = ?""",
            (digest_of(id_),),
        ).fetchone()
        if row is None:
            return id_
        kind, space, key, uri, edition, number, start, stop = row
        if start is not None:
            where = f"v{number}" + (f" of edition {edition}" if edition != 1 else "")
            return f"span {uri} {where} [{start}, {stop}) ({id_})"
        return f"{kind}:{space}/{key} ({id_})"

    def pages(self, size: int) -> Iterator[Page]:
        """Pages that together hold all nodes, and all rows that say they are of a node."""
        low = LEAST
        while True:
            high = one(
                self._connection, "select id from node where id > ? order by id limit 1 offset ?", (low, size - 1)
            )
            yield low, MOST if high is None else high
            if high is None:
                return
            low = high

    def nodes(self, page: Page) -> list[NodeAudit]:
        """The nodes of a page."""
        kinds = self._kinds()
        found = []
        for digest, kind, space, key, name_kind, text, *rest in self._connection.execute(NODES, page):
            (run, *numbers), flags = rest[3:-5], rest[-5:]
            found.append(
                NodeAudit._make(
                    (
                        id_of(digest), kinds.get(kind), space, key, kinds.get(name_kind), text and text.hex(),
                        *rest[:3], run and "r1:" + run.hex(), *numbers, *map(bool, flags),
                    )
                )
            )  # fmt: skip
        return found

    def names(self, size: int) -> Iterator[list[NameAudit]]:
        """All keys, in pages."""
        kinds = self._kinds()
        sweeps: dict[tuple[int, int], list[tuple[int, str | None]]] = {}
        for space, kind, begin, run in self._connection.execute(
            "select w.namespace, w.kind, w.begin, r.hash from sweep w left join run r on r.id = w.run"
        ):
            sweeps.setdefault((space, kind), []).append((begin, run and "r1:" + run.hex()))
        low = LEAST
        while rows := self._connection.execute(
            """select a.id, a.kind, a.namespace, s.name, a.key, a.current, c.hash from name a
               left join namespace s on s.id = a.namespace left join node c on c.id = a.current
               where a.id > ? order by a.id limit ?""",
            (low, size),
        ).fetchall():
            page, low = (low, rows[-1][0]), rows[-1][0]
            found = {
                row: NameAudit(
                    kinds.get(kind), word, key, current is not None, digest and id_of(digest), [],
                    list(sweeps.get((space, kind), ())), [],
                )
                for row, kind, space, word, key, current, digest in rows
            }  # fmt: skip
            for name, digest, first, last, run in self._connection.execute(
                """select n.name, n.hash, n.named_first, n.named_last, r.hash from node n
                   left join run r on r.id = n.run where n.name > ? and n.name <= ?""",
                page,
            ):
                if name in found:
                    found[name].nodes.append((id_of(digest), first, last, run and "r1:" + run.hex()))
            for name, begin, run in self._connection.execute(
                """select t.name, t.begin, r.hash from retirement t left join run r on r.id = t.run
                   where t.name > ? and t.name <= ?""",
                page,
            ):
                if name in found:
                    found[name].retired.append((begin, run and "r1:" + run.hex()))
            for name, digest, run in self._connection.execute(
                """select n.name, n.hash, r.hash from node n join seed s on s.node = n.id
                   join cause c on c.id = s.cause and c.type = 1 left join run r on r.id = c.run
                   where n.name > ? and n.name <= ?""",
                page,
            ):
                if name in found:
                    found[name].seeds.append((id_of(digest), run and "r1:" + run.hex()))
            yield list(found.values())

    def edges(self, page: Page) -> Iterator[EdgeAudit]:
        """The current edges of a page's nodes to their inputs, by node."""
        kinds = self._kinds()
        for src, src_kind, dst, dst_kind, role, origins, given, stands, *rest in self._connection.execute(EDGES, page):
            yield EdgeAudit(
                src and id_of(src), kinds.get(src_kind), dst and id_of(dst), kinds.get(dst_kind), role, origins,
                bool(given), bool(stands), *rest,
            )  # fmt: skip

    def past_edges(self, page: Page) -> Iterator[EdgeAudit]:
        """The edges of a page's nodes that are history, by node."""
        kinds = self._kinds()
        for src, src_kind, dst, dst_kind, role, origins, given, stands, *rest in self._connection.execute(
            PAST_EDGES, page
        ):
            since, ext, until, run, filed, filed_until = rest
            yield EdgeAudit(
                src and id_of(src), kinds.get(src_kind), dst and id_of(dst), kinds.get(dst_kind), role, origins,
                bool(given), bool(stands), since, ext, None, None, None, None, until, run and "r1:" + run.hex(),
                bool(filed), bool(filed_until),
            )  # fmt: skip

    def past_derivations(self, page: Page) -> Iterator[PastAudit]:
        """The derivations of a page's nodes that are history."""
        kinds = self._kinds()
        for digest, kind, run, *rest, followed, of_edges in self._connection.execute(PAST_DERIVATIONS, page):
            made_by = run and "r1:" + run.hex()
            yield PastAudit._make(
                (digest and id_of(digest), kinds.get(kind), made_by, *rest, bool(followed), bool(of_edges))
            )

    def purging(self) -> Iterator[tuple[str, int, int, int]]:
        """(node, purged, purged inputs, other inputs) of derived nodes that are purged or have purged inputs.

        Inputs that were replaced count as far as they are purged.
        """
        for digest, purged, spent, kept in self._connection.execute(PURGING):
            yield id_of(digest), purged, spent, kept

    def cycle(self) -> list[str] | None:
        """A path of current edges that leads back to where it began."""
        # Edges may be of nodes that do not exist: a fault of its own.
        most = one(
            self._connection,
            """select max(coalesce((select max(id) from node), 0), coalesce((select max(src) from edge), 0),
                          coalesce((select max(dst) from edge), 0))""",
        )
        if not 0 < most < 2**31:
            # Counted by row number: such numbers are themselves a fault, and are found as one.
            return None
        # Nodes without inputs are taken away, again and again; four bytes a node is all that is kept of each.
        waiting = array("i", [0]) * (most + 1)
        known = self._connection.execute(
            "select src, count(*) from edge where src between 0 and ? group by src", (most,)
        )
        for src, count in known:
            waiting[src] = count
        left = sum(1 for count in waiting if count)
        frontier = [
            row
            for (row,) in self._connection.execute(
                "select distinct dst from edge e where not exists (select 1 from edge i where i.src = e.dst)"
            )
        ]
        while frontier:
            following = []
            for part in chunks(frontier):
                for (src,) in self._connection.execute(
                    "select e.src from json_each(?) j cross join edge e where e.dst = j.value", (json.dumps(part),)
                ):
                    if 0 <= src <= most:
                        waiting[src] -= 1
                        if not waiting[src]:
                            following.append(src)
            left -= len(following)
            frontier = following
        if not left:
            return None
        return self._way_back(next(row for row, count in enumerate(waiting) if count), waiting)

    def _way_back(self, row: int, waiting: array[int]) -> list[str]:
        # Every node that is left has an input that is left, so that walking down must come back.
        path, places = [row], {row: 0}
        while True:
            row = next(
                dst
                for (dst,) in self._connection.execute("select dst from edge where src = ?", (path[-1],))
                if 0 <= dst < len(waiting) and waiting[dst]
            )
            if row in places:
                ids = self._codes.ids(path)
                return [ids[each] for each in [*path[places[row] :], row]]
            places[row] = len(path)
            path.append(row)

    # what stands beside

    def unrecorded(self) -> Iterator[Finding]:
        """What edges say of the documents and namespaces that a namespace derives from, and its own tables do not."""
        for space, uri in self._connection.execute(
            """select s.name, d.uri from (
                 select distinct a.namespace as namespace, p.document as document
                 from span p join edge e on e.dst = p.node join node n on n.id = e.src join name a on a.id = n.name) q
               join namespace s on s.id = q.namespace join document d on d.id = q.document
               where not exists (
                 select 1 from namespace_document g where g.namespace = q.namespace and g.document = q.document)"""
        ):
            yield f"namespace {space}", "document, namespace (that edges say it derives from)", None, uri
        for space, other in self._connection.execute(
            """select s.name, o.name from (
                 select distinct a.namespace as namespace, b.namespace as input from edge e
                 join node n on n.id = e.src join name a on a.id = n.name
                 join node i on i.id = e.dst join name b on b.id = i.name where a.namespace <> b.namespace
                 and (select count(*) from namespace) > 1) q
               join namespace s on s.id = q.namespace join namespace o on o.id = q.input
               where not exists (
                 select 1 from namespace_input g where g.namespace = q.namespace and g.input = q.input)"""
        ):
            yield f"namespace {space}", "input, namespace (that edges say it derives from)", None, other

    def beside(self) -> Iterator[Finding]:
        """Aliases, details, findings and namespaces' tables that are of nothing, or of another namespace."""
        yield from self._connection.execute(BESIDE)

    def answers(self) -> Iterator[AnswerAudit]:
        """All answers' own rows."""
        for digest, kind, *rest, question, searched, cited in self._connection.execute(
            """select n.hash, n.kind, x.asked, n.named_first, n.named_last,
                      (select min(g.asked) from asking g where g.node = x.node),
                      (select max(g.asked) from asking g where g.node = x.node),
                      exists (select 1 from text t where t.id = x.question), x.searched, x.cited
               from answer x left join node n on n.id = x.node"""
        ):
            answer = digest and id_of(digest)
            yield AnswerAudit._make((answer, self._kind(kind), *rest, bool(question), searched, cited))

    def askings(self) -> Iterator[AskingAudit]:
        """All askings."""
        for digest, kind, run, begin, asked, named in self._connection.execute(
            """select n.hash, n.kind, r.hash, r.begin, g.asked,
                      exists (select 1 from naming m where m.run = g.run and m.kind = n.kind)
               from asking g left join node n on n.id = g.node left join run r on r.id = g.run"""
        ):
            yield AskingAudit(
                digest and id_of(digest), self._kind(kind), run and "r1:" + run.hex(), begin, asked, bool(named)
            )

    def claims(self) -> Iterator[ClaimAudit]:
        """All claims' own rows."""
        for digest, kind, space, key, needs, answers, first, last in self._connection.execute(
            CLAIMS, {"answer": self._codes.code("kind", "answer")}
        ):
            yield ClaimAudit(
                digest and id_of(digest), self._kind(kind), space, key, needs,
                tuple((each[0], each[1]) for each in json.loads(answers)), bool(first), bool(last),
            )  # fmt: skip

    def citations(self) -> Iterator[CitationAudit]:
        """All citations."""
        for row in self._connection.execute(CITATIONS):
            (
                claim,
                is_claim,
                current,
                run,
                number,
                marker,
                label,
                given,
                target,
                kind,
                edge,
                was,
                read,
                stands,
                *rest,
            ) = row
            yield CitationAudit(
                claim and id_of(claim), bool(is_claim), bool(current), run and "r1:" + run.hex(), number, marker, label,
                bool(given), target and id_of(target), self._kind(kind), bool(edge), bool(was), bool(read),
                bool(stands), *rest,
            )  # fmt: skip

    def has_finding(self, run: str, kind: str, starts: tuple[str, ...], end: str, what: str) -> bool:
        """Whether a run kept a finding at a place that begins as one of ``starts`` and ends with ``end``."""
        return bool(
            one(
                self._connection,
                """select exists (select 1 from run r join finding f on f.run = r.id and f.kind = ?1 and f.what = ?2
                   and substr(f.place, -length(?3)) = ?3 and exists (
                       select 1 from json_each(?4) j where substr(f.place, 1, length(j.value)) = j.value)
                   where r.hash = ?5)""",
                (kind, what, end, json.dumps(starts), bytes.fromhex(run[3:])),
            )
        )

    # judgments

    def choices(self) -> Iterator[tuple[str, int, bool, int]]:
        """(judgment key, number, whether there is such a verdict, seq) of all choices between verdicts."""
        for digest, number, known, seq in self._connection.execute(
            """select c.hash, c.number, exists (select 1 from judgment j where j.hash = c.hash
               and j.number = c.number), c.seq from judgment_choice c"""
        ):
            yield JUDGMENT_TAG + digest.hex(), number, bool(known), seq

    def scores(self) -> Iterator[tuple[str | None, str | None, str, int]]:
        """(node, its kind, body, seq) of all scores that were kept."""
        for digest, kind, body, seq in self._connection.execute(
            "select n.hash, n.kind, s.body, s.seq from score s left join node n on n.id = s.node"
        ):
            yield digest and id_of(digest), self._kind(kind), body, seq

    def splittings(self) -> Iterator[SplittingAudit]:
        """All splittings of claims."""
        for digest, kind, purged, parts, seq in self._connection.execute(
            """select n.hash, n.kind, coalesce(n.purged, 0), s.parts, s.seq
               from splitting s left join node n on n.id = s.node"""
        ):
            yield SplittingAudit(digest and id_of(digest), self._kind(kind), bool(purged), parts, seq)


NODES = """
select n.hash, n.kind, s.name, a.key, a.kind, t.hash, n.attributes, n.named_first, n.named_last, r.hash, r.begin,
       r.derived, n.begin, n.derived, n.made, n.lineage, n.unsettled, n.purged, d.title, d.reason, d.body,
       p.node is not null, x.node is not null, c.node is not null,
       exists (select 1 from seed z join cause y on y.id = z.cause and y.type = 2 where z.node = n.id),
       not exists (select 1 from edge e where e.src = n.id)
       and not exists (select 1 from past_derivation b where b.node = n.id)
from node n left join name a on a.id = n.name left join namespace s on s.id = a.namespace
left join text t on t.id = n.text left join run r on r.id = n.run left join detail d on d.node = n.id
left join span p on p.node = n.id left join answer x on x.node = n.id left join claim c on c.node = n.id
where n.id > ? and n.id <= ? order by n.id
"""

EDGES = """
select s.hash, s.kind, d.hash, d.kind, e.role, e.origins, e.version is not null, a.node is not null, e.since,
       abs(e.ext), s.made, s.begin, s.derived, s.named_first
from edge e left join node s on s.id = e.src left join node d on d.id = e.dst
left join anchor a on a.version = e.version and a.node = e.dst
where e.src > ? and e.src <= ? order by e.src
"""

PAST_EDGES = """
select s.hash, s.kind, d.hash, d.kind, e.role, e.origins, e.version is not null, a.node is not null, e.since,
       abs(e.ext), e.until, r.hash,
       exists (select 1 from past_derivation p where p.node = e.src and p.run = e.run),
       exists (select 1 from past_derivation p where p.node = e.src and p.run = e.run and p.until = e.until)
from past_edge e left join node s on s.id = e.src left join node d on d.id = e.dst left join run r on r.id = e.run
left join anchor a on a.version = e.version and a.node = e.dst
where e.src > ? and e.src <= ? order by e.src, e.run, e.until
"""

PAST_DERIVATIONS = """
select n.hash, n.kind, r.hash, r.begin, r.derived, p.begin, p.derived, p.made, p.lineage, p.until, n.begin, n.derived,
       n.made = p.until
       or exists (select 1 from past_derivation q where q.node = p.node and q.made = p.until)
       or exists (select 1 from past_edge e where e.src = p.node and e.run = p.run and e.until = p.until)
       or not exists (select 1 from past_edge e where e.src = p.node and e.run = p.run),
       coalesce((select min(e.since) > p.made or max(e.since = p.made) from past_edge e
                 where e.src = p.node and e.run = p.run and e.until = p.until and e.since < e.until), true)
from past_derivation p left join node n on n.id = p.node left join run r on r.id = p.run
where p.node > ? and p.node <= ? order by p.node
"""

PASSING = f"role <= {ROLE_CODE['retrieved']}"

PURGING = f"""
select n.hash, n.purged,
       (select count(*) from edge e join node i on i.id = e.dst where e.src = n.id and e.{PASSING} and i.purged = 1)
       + (select count(*) from past_edge e join node i on i.id = e.dst
          where e.src = n.id and e.{PASSING} and i.purged = 1),
       (select count(*) from edge e join node i on i.id = e.dst where e.src = n.id and e.{PASSING} and i.purged = 0)
from node n join (
    select id from node where purged <> 0
    union select e.src from node i join edge e on e.dst = i.id and e.{PASSING} where i.purged <> 0) q on q.id = n.id
where not exists (select 1 from span s where s.node = n.id)
"""

CLAIMS = """
with mine(claim, answer) as (
    select c.node, e.src from claim c join edge e on e.dst = c.node and e.role = 0
    union select c.node, e.src from claim c join past_edge e on e.dst = c.node and e.role = 0)
select n.hash, n.kind, s.name, a.key, c.needs_evidence,
       (select json_group_array(json_array(sa.name, aa.key)) from mine m left join node an on an.id = m.answer
        left join name aa on aa.id = an.name left join namespace sa on sa.id = aa.namespace where m.claim = c.node),
       exists (select 1 from name an join node x on x.name = an.id join asking g on g.node = x.id
               where an.digest = bytes_digest(cast(iif(json_valid(a.key), json_extract(a.key, '$[0]'), '') as blob))
               and an.key = iif(json_valid(a.key), json_extract(a.key, '$[0]'), '') and an.kind = :answer
               and an.namespace = a.namespace and g.asked = n.named_first),
       exists (select 1 from name an join node x on x.name = an.id join asking g on g.node = x.id
               where an.digest = bytes_digest(cast(iif(json_valid(a.key), json_extract(a.key, '$[0]'), '') as blob))
               and an.key = iif(json_valid(a.key), json_extract(a.key, '$[0]'), '') and an.kind = :answer
               and an.namespace = a.namespace and g.asked = n.named_last)
from claim c left join node n on n.id = c.node left join name a on a.id = n.name
left join namespace s on s.id = a.namespace
"""

CITATIONS = f"""
select n.hash, k.node is not null, c.run = n.run, r.hash, c.number, c.marker, k.label, c.target is not null, t.hash,
       t.kind,
       exists (select 1 from edge e where e.src = c.claim and e.role = {ROLE_CODE["cites"]} and e.dst = c.target),
       exists (select 1 from past_edge e where e.src = c.claim and e.role = {ROLE_CODE["cites"]} and e.dst = c.target),
       c.version is not null, a.node is not null, c.start, c.stop,
       iif(coalesce(c.start, c.stop) is null or t.purged, null, b.body), c.whole, s.name, m.key
from citation c left join node n on n.id = c.claim left join claim k on k.node = c.claim
left join run r on r.id = c.run left join node t on t.id = c.target left join text b on b.id = t.text
left join anchor a on a.version = c.version and a.node = c.target
left join name m on m.id = n.name left join namespace s on s.id = m.namespace
order by c.claim, c.run, c.number
"""

BESIDE = """
select 'name ' || key, 'digest, key', digest, bytes_digest(cast(key as blob)) from name
where digest <> bytes_digest(cast(key as blob))
union all
select 'alias ' || l.alias, 'node', l.node, 'a node' from alias l
where not exists (select 1 from node n where n.id = l.node)
union all
select 'alias ' || l.alias, 'namespace', s.name, o.name from alias l join node n on n.id = l.node
left join name a on a.id = n.name left join namespace s on s.id = l.namespace
left join namespace o on o.id = a.namespace where l.namespace is not a.namespace
union all
select 'detail ' || coalesce(d.title, d.reason, d.body, ''), 'node', d.node, 'a derived node' from detail d
where not exists (select 1 from node n where n.id = d.node) or exists (select 1 from span s where s.node = d.node)
union all
select 'finding ' || f.kind || ' at ' || f.place, 'run', f.run, 'a run' from finding f
where f.run is not null and not exists (select 1 from run r where r.id = f.run)
union all
select 'namespace ' || coalesce(s.name, g.namespace), 'document', g.document, 'a namespace and its document'
from namespace_document g left join namespace s on s.id = g.namespace
where s.id is null or not exists (select 1 from document d where d.id = g.document)
union all
select 'namespace ' || coalesce(s.name, g.namespace), 'seq', g.seq, 'at most the last number given'
from namespace_document g left join namespace s on s.id = g.namespace
where g.seq < 0 or g.seq > (select max(value) from sequence)
union all
select 'namespace ' || coalesce(s.name, g.namespace), 'input', g.input, 'two namespaces'
from namespace_input g left join namespace s on s.id = g.namespace
where s.id is null or g.input = g.namespace or not exists (select 1 from namespace o where o.id = g.input)
union all
select 'mark to be read again', iif(c.id is null, 'cause', 'node'), k.node, 'a cause and a node' from recheck k
left join cause c on c.id = k.cause left join node n on n.id = k.node where c.id is null or n.id is null
union all
select 'event ' || id, 'id, seq', seq, 'in the order of the sequence' from (
    select id, seq, lag(seq) over (order by id) as before from event) where seq < before
union all
select 'events with number ' || seq, 'at', max(at), min(at) from event group by seq having min(at) <> max(at)
"""
