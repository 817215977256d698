"""What ``verify`` asks of SQLite: raw rows in pages, and the relations between tables that must hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from lineage.stores.sqlite.codes import LAST_PASSING, ROLES, Codes, id_of, one
from lineage.stores.sqlite.migrate import migrations
from lineage.stores.sqlite.spread import PASSED

Finding = tuple[str, str, Any, Any]


class Auditing:
    """Reads everything and changes nothing."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes

    def storage(self) -> Iterator[tuple[str, str]]:
        """(place, fault) of the file itself and of the record of migrations."""
        for (fault,) in self._connection.execute("pragma integrity_check"):
            if fault != "ok":
                yield "database file", fault
        for table, row, parent, _ in self._connection.execute("pragma foreign_key_check"):
            yield f"{table} row {row}", f"refers to no row of {parent}"
        known = {step.number: step.checksum for step in migrations()}
        for number, checksum in self._connection.execute("select number, checksum from migration"):
            if known.get(number) != checksum:
                yield f"migration {number}", "another checksum than this program's"

    def texts(self) -> Iterator[tuple[str, str]]:
        """(sha256, text) of all texts that were not purged."""
        for digest, body in self._connection.execute("select hash, body from text where body is not null"):
            yield digest.hex(), body

    def version_id(self, uri: str, edition: int, number: int) -> str | None:
        """A version's stored id."""
        digest = one(
            self._connection,
            """select v.hash from document d join version v on v.document = d.id
               where d.uri = ? and v.edition = ? and v.number = ?""",
            (uri, edition, number),
        )
        return None if digest is None else "v1:" + digest.hex()

    def runs(self) -> Iterator[tuple[str, str, str]]:
        """(id, namespace, key) of all runs."""
        for digest, namespace, key in self._connection.execute(
            "select r.hash, n.name, r.key from run r join namespace n on n.id = r.namespace"
        ):
            yield "r1:" + digest.hex(), namespace, key

    def node_count(self) -> int:
        """How many nodes there are."""
        return int(one(self._connection, "select count(*) from node"))

    def mark_count(self) -> int:
        """How many marks there are, closed ones included."""
        return int(one(self._connection, "select count(*) from mark"))

    def node_ids(self, size: int) -> Iterator[list[str]]:
        """The ids of all nodes, in pages."""
        after = 0
        while rows := self._connection.execute(
            "select id, hash from node where id > ? order by id limit ?", (after, size)
        ).fetchall():
            yield [id_of(digest) for _, digest in rows]
            after = rows[-1][0]

    def relations(self) -> Iterator[Finding]:
        """What one table says of another and the other does not: (item, field, found, expected)."""
        for field, expected, query in RELATIONS:
            for row in self._connection.execute(query):
                yield str(row[0]), field, row[1], row[2] if len(row) > 2 else expected
        yield from self._names()

    def _names(self) -> Iterator[Finding]:
        """Each key names the node whose run began last, unless it was retired later."""
        for key, current, wanted in self._connection.execute(
            """with last as (
                 select n.name as name, n.id as node, n.named_last as begin, row_number() over (
                     partition by n.name order by n.named_last desc, n.hash desc) as place
                 from node n where n.name is not null)
               select k.name || ':' || s.name || '/' || a.key, a.current, iif(exists (
                     select 1 from retirement r where r.name = a.id and r.begin > l.begin
                     union all select 1 from sweep w where w.namespace = a.namespace and w.kind = a.kind
                     and w.begin > l.begin), null, l.node)
               from name a join kind k on k.id = a.kind join namespace s on s.id = a.namespace
               join last l on l.name = a.id and l.place = 1"""
        ):
            if current != wanted:
                ids = self._codes.ids([row for row in (current, wanted) if row is not None])
                yield key, "current", ids.get(current), ids.get(wanted)

    def marks(self) -> Iterator[Finding]:
        """Marks that are not what the rule says, where nothing is pending: each way round."""
        decided = "exists (select 1 from decision d where d.cause = q.cause and d.node = q.node)"
        for node, cause, found, expected in self._connection.execute(
            f"""with passed as (
                  select m.cause as cause, e.src as node, max({PASSED}) as severity
                  from mark m join cause c on c.id = m.cause
                  join edge e on e.dst = m.node and e.role <= {LAST_PASSING} where m.severity > 0
                  group by m.cause, e.src),
                wanted as (
                  select cause, node, max(severity) as severity from (
                    select cause, node, severity from passed
                    union all select cause, node, severity from seed) group by cause, node),
                q as (
                  select coalesce(w.cause, m.cause) as cause, coalesce(w.node, m.node) as node,
                         coalesce(m.severity, 0) as found, coalesce(w.severity, 0) as expected
                  from wanted w full outer join mark m on m.cause = w.cause and m.node = w.node)
                select n.hash, c.name, q.found, q.expected from q join node n on n.id = q.node
                join cause c on c.id = q.cause where q.found <> q.expected and not (q.found = 0 and {decided})"""
        ):
            yield id_of(node), f"mark of {cause}", found, expected


def _name(column: str) -> str:
    """The public name of a node's row, for use inside a statement."""
    return (
        "(select k.name || ':' || coalesce(s.name, '') || '/' || coalesce(a.key, hex(n.hash)) from node n"
        " join kind k on k.id = n.kind left join name a on a.id = n.name left join namespace s on s.id = a.namespace"
        f" where n.id = {column})"
    )


RELATIONS: tuple[tuple[str, Any, str], ...] = (
    (
        "base",
        "a version of the same document",
        """select d.uri || ' v' || v.number, b.id from version v join version b on b.id = v.base
           join document d on d.id = v.document where b.document <> v.document""",
    ),
    (
        "sequence of version",
        None,
        """select d.uri || ' edition ' || e.edition, v.seq, e.seq from edition e join document d on d.id = e.document
           join version v on v.document = e.document and v.edition = e.edition and v.number = 1 where v.seq <> e.seq""",
    ),
    (
        "sequence of version",
        "after the version before",
        """select d.uri || ' v' || v.number, v.seq from version v join version b on b.document = v.document
           and b.edition = v.edition and b.number = v.number - 1 join document d on d.id = v.document
           where b.seq >= v.seq""",
    ),
    (
        "first version",
        "a version of the span's document and edition",
        f"""select {_name("s.node")}, s.version from span s join version v on v.id = s.version
            where v.document <> s.document or v.edition <> s.edition""",
    ),
    (
        "role",
        "claim from an answer to a claim, cites from a claim, retrieved from an answer",
        f"""select {_name("e.src")}, e.role from edge e join node n on n.id = e.src join kind k on k.id = n.kind
            where (e.role in (0, 5)) <> (k.name = 'answer') or (e.role = 1 and k.name <> 'claim')""",
    ),
    (
        "kind of its key",
        None,
        f"select {_name('x.id')}, a.kind, x.kind from node x join name a on a.id = x.name where a.kind <> x.kind",
    ),
    (
        "purged",
        None,
        f"""select {_name("x.id")}, x.purged, v.purged from node x join span s on s.node = x.id
            join version v on v.id = s.version where x.purged <> v.purged""",
    ),
    (
        "role",
        f"0 to {len(ROLES) - 1}",
        f"select {_name('src')}, role from edge where role not between 0 and {len(ROLES) - 1}",
    ),
    ("input", "a node", f"select {_name('src')}, dst from edge where not exists (select 1 from node where id = dst)"),
    (
        "dependent",
        "a node",
        "select 'edge of row ' || src, src from edge where not exists (select 1 from node where id = src)",
    ),
    ("origins", "1 to 63", f"select {_name('src')}, origins from edge where origins not between 1 and 63"),
    (
        "version read",
        "a version where the span stands",
        f"""select {_name("e.src")}, e.version from edge e join span s on s.node = e.dst where e.version is null
            or not exists (select 1 from anchor a where a.version = e.version and a.node = e.dst)""",
    ),
    (
        "version read",
        "none: the input is no span",
        f"""select {_name("e.src")}, e.version from edge e where e.version is not null
            and not exists (select 1 from span s where s.node = e.dst)""",
    ),
    (
        "sequence of edge",
        "from the begin of its derivation to the store's sequence",
        f"select {_name('src')}, since from edge where since > (select value from sequence) or since < 1",
    ),
    (
        "extension",
        "the begin of a run",
        f"""select {_name("src")}, ext from edge
            where ext is not null and not exists (select 1 from run where begin = ext)""",
    ),
    (
        "run",
        "a run",
        f"""select {_name("x.id")}, x.run from node x
            where x.run is not null and not exists (select 1 from run r where r.id = x.run)""",
    ),
    (
        "begin of its run",
        None,
        f"""select {_name("x.id")}, x.begin, r.begin from node x join run r on r.id = x.run
            where x.derived and x.begin <> r.begin""",
    ),
    (
        "begin of its run",
        "a run's begin",
        f"""select {_name("x.id")}, x.begin from node x
            where x.begin is not null and not exists (select 1 from run where begin = x.begin)""",
    ),
    (
        "derived",
        None,
        f"""select {_name("x.id")}, x.derived, r.derived from node x join run r on r.id = x.run
            where x.derived <> r.derived""",
    ),
    (
        "made",
        "at or after the first naming, and at most the store's sequence",
        f"""select {_name("x.id")}, x.made from node x where x.made is not null
            and (x.made > (select value from sequence) or x.made < 1)""",
    ),
    (
        "named_first, named_last",
        "in order, and known to the store",
        f"""select {_name("x.id")}, x.named_first || ' ' || x.named_last from node x where x.named_first is not null
            and (x.named_first > x.named_last or x.named_last > (select value from sequence))""",
    ),
    (
        "naming",
        "a run's begin",
        f"""select {_name("x.id")}, x.named_last from node x join kind k on k.id = x.kind
            where x.named_last is not null and k.name not in ('answer', 'claim')
            and (not exists (select 1 from run where begin = x.named_last)
                 or not exists (select 1 from run where begin = x.named_first))""",
    ),
    (
        "asked",
        "when a run asked it last",
        f"""select {_name("x.id")}, x.named_last from node x join kind k on k.id = x.kind and k.name = 'answer'
            where x.named_last <> (select max(g.asked) from asking g where g.node = x.id)""",
    ),
    ("lineage", "0, 1 or 2", f"select {_name('x.id')}, x.lineage from node x where x.lineage not in (0, 1, 2)"),
    (
        "seed of incomplete lineage",
        "one exactly where lineage is incomplete",
        f"""select {_name("x.id")}, x.lineage from node x where (x.lineage > 0) <> exists (
            select 1 from seed s where s.node = x.id and s.cause = 1)""",
    ),
    (
        "seed of what replaced it",
        "one exactly where its key does not name it",
        f"""select {_name("x.id")}, x.id is not a.current from node x join name a on a.id = x.name
            join kind k on k.id = x.kind and k.name not in ('answer', 'claim')
            where (x.id is not a.current) <> exists (
                select 1 from seed s join cause c on c.id = s.cause and c.type = 1 where s.node = x.id)""",
    ),
    (
        "purged",
        "only where all that it was read from is",
        f"""select {_name("x.id")}, x.purged from node x where x.purged = 1 and exists (
            select 1 from edge e join node i on i.id = e.dst where e.src = x.id and e.role <= {LAST_PASSING}
            and i.purged = 0)""",
    ),
    (
        "alias",
        "of a node",
        "select 'alias ' || alias, node from alias where not exists (select 1 from node n where n.id = node)",
    ),
    (
        "detail",
        "of a node",
        "select 'detail of row ' || node, node from detail where not exists (select 1 from node n where n.id = node)",
    ),
    (
        "citation",
        "of a claim, to a node that it cites",
        f"""select {_name("c.claim")}, c.number from citation c join node n on n.id = c.claim where c.target is not null
            and c.run = n.run and not exists (
                select 1 from edge e where e.src = c.claim and e.role = 1 and e.dst = c.target)""",
    ),
    (
        "citation",
        "of a claim",
        """select 'citation ' || number, claim from citation c
            where not exists (select 1 from claim x where x.node = c.claim)""",
    ),
    (
        "closed mark",
        "with a resolution",
        f"""select {_name("node")}, severity from mark
            where severity = 0 and resolution is null or severity not in (0, 1, 2)""",
    ),
    (
        "via",
        "an input",
        f"""select {_name("m.node")}, m.via from mark m where m.severity > 0 and m.via is not null
            and not exists (select 1 from edge e where e.src = m.node and e.dst = m.via)
            and not exists (select 1 from past_edge e where e.src = m.node and e.dst = m.via)""",
    ),
    (
        "sequence of mark",
        "at most the store's",
        f"select {_name('node')}, since from mark where since > (select value from sequence)",
    ),
    (
        "correction",
        "a sequence number and versions of its documents",
        """select x.name, x.seq from cause x where x.seq > (select value from sequence) or (x.type = 0 and not exists (
           select 1 from change c join version v on v.id = c.target where c.cause = x.id and v.seq = x.seq))""",
    ),
    (
        "decision",
        "of a node and a cause",
        """select 'decision ' || seq, node from decision d where not exists (select 1 from node n where n.id = d.node)
           or not exists (select 1 from cause c where c.id = d.cause) or not json_valid(d.inputs)""",
    ),
    (
        "namespace_document",
        "every document that a namespace's nodes read",
        """select distinct s.name, d.uri from edge e join span p on p.node = e.dst join node n on n.id = e.src
           join name a on a.id = n.name join namespace s on s.id = a.namespace join document d on d.id = p.document
           where not exists (select 1 from namespace_document g
                             where g.namespace = a.namespace and g.document = p.document)""",
    ),
    (
        "sequence",
        "at least every number given",
        """select 'sequence', value from sequence where value < (select max(begin) from run)
           or value < (select coalesce(max(seq), 0) from version)
           or value < (select coalesce(max(seq), 0) from event)""",
    ),
    (
        "past edge",
        "of nodes that exist, with a range",
        """select 'past edge of row ' || src, until from past_edge p where since > until
           or not exists (select 1 from node n where n.id = p.src)
           or not exists (select 1 from node n where n.id = p.dst)""",
    ),
)
