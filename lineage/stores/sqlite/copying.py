"""A whole SQLite store out, section by section, and into an empty one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from lineage.stores.copying import Row, Section
from lineage.stores.sqlite.codes import LAST_PASSING, Codes, key_digest, one
from lineage_schema.canonical import canonical_json

_NEVER_SWEPT: Final = ("answer", "claim", "span")
_FAR: Final = 1 << 60
"""Where marks that wait are put meanwhile: past all that do not."""


def _id(table: str, tag: str = "l1:") -> str:
    return f"'{tag}' || lower(hex({table}.hash))"


def _sha256(table: str) -> str:
    # hex() of null is no null.
    return f"iif({table}.hash is null, null, lower(hex({table}.hash)))"


_PURGED_SOURCE = """coalesce(case substr(p.source, 1, 3)
    when 'l1:' then (select n.purged from node n where n.hash = digest(p.source))
    when 'v1:' then (select v.purged from version v where v.hash = digest(p.source)) end, 0)"""

READS: Final = {
    "document": "select uri, title, url, media_type from document order by uri",
    "version": f"""
        select d.uri as uri, v.edition as edition, v.number as number, {_id("v", "v1:")} as id,
            {_sha256("t")} as sha256, iif(v.purged, null, t.body) as text, b.edition as base_edition,
            b.number as base, v.alignment as alignment, v.seq as seq, v.at as at, v.purged as purged,
            e.current = v.id as current, e.seq as edition_seq
        from document d join version v on v.document = d.id
        join edition e on e.document = d.id and e.edition = v.edition
        left join text t on t.id = v.text left join version b on b.id = v.base
        order by d.uri, v.edition, v.number""",
    "statement": """
        select d.uri as uri, v.edition as edition, v.number as number, s.seq as seq,
            row_number() over (partition by s.version, s.seq order by s.id) as place, s.at as at, s.body as body
        from statement s join version v on v.id = s.version join document d on d.id = v.document
        order by d.uri, v.edition, v.number, s.seq, s.id""",
    "span": f"""
        select {_id("n")} as id, d.uri as uri, s.edition as edition, v.number as version, s.start as start,
            s.stop as end, n.purged as purged,
            (select json_group_array(json_array(w.number, a.start, a.stop)) from version w
             cross join anchor a on a.version = w.id and a.node = s.node
             where w.document = s.document and w.edition = s.edition) as anchors
        from node n cross join span s on s.node = n.id join document d on d.id = s.document
        join version v on v.id = s.version order by n.hash""",
    "run": f"""
        select {_id("r", "r1:")} as id, r.key as key, s.name as namespace, r.producer as producer, r.body as body,
            r.derived as derived, r.begin as begin, r.at as at, r.finished as finished, r.complete as complete,
            (select json_group_array(k.name) from naming m join kind k on k.id = m.kind where m.run = r.id) as kinds
        from run r join namespace s on s.id = r.namespace order by r.hash""",
    "name": """
        select a.key as key, k.name as kind, s.name as namespace from name a join kind k on k.id = a.kind
        join namespace s on s.id = a.namespace order by a.key, k.name, s.name""",
    "node": f"""
        select {_id("n")} as id, k.name as kind, s.name as namespace, a.key as key, a.current is n.id as current,
            n.named_first as named_first, n.named_last as named_last, {_sha256("t")} as sha256,
            iif(n.purged, null, t.body) as text, n.attributes as attributes, d.title as title, d.reason as reason,
            d.body as details, {_id("r", "r1:")} as run, n.begin as begin, n.derived as derived, n.made as made,
            n.lineage as lineage, n.unsettled as unsettled, n.purged as purged, q.body as question,
            x.cache_key as cache_key, x.at as at,
            iif(x.node is null, null, coalesce(x.searched, '[]')) as searched, c.label as label,
            c.needs_evidence as needs_evidence
        from node n cross join name a on a.id = n.name join kind k on k.id = n.kind
        join namespace s on s.id = a.namespace left join text t on t.id = n.text left join run r on r.id = n.run
        left join detail d on d.node = n.id left join answer x on x.node = n.id left join text q on q.id = x.question
        left join claim c on c.node = n.id order by n.hash""",
    "alias": f"""
        select a.alias as alias, s.name as namespace, {_id("n")} as node from alias a
        join namespace s on s.id = a.namespace join node n on n.id = a.node order by a.alias, s.name, n.hash""",
    "asking": f"""
        select {_id("n")} as node, {_id("r", "r1:")} as run, g.asked as seq from node n
        cross join asking g on g.node = n.id join run r on r.id = g.run order by n.hash""",
    "edge": f"""
        select {_id("s")} as src, e.role as role, {_id("d")} as dst, e.origins as origins, v.number as version,
            e.since as since, abs(e.ext) as ext, e.ext is null or e.ext < 0 as own
        from node s cross join edge e on e.src = s.id join node d on d.id = e.dst
        left join version v on v.id = e.version order by s.hash""",
    "making": f"""
        select {_id("n")} as node, p.made as made, {_id("r", "r1:")} as run, p.begin as begin, p.derived as derived,
            p.lineage as lineage, p.until as until
        from node n cross join past_derivation p on p.node = n.id join run r on r.id = p.run order by n.hash""",
    "past_edge": f"""
        select {_id("s")} as src, e.until as until, e.since as since, e.role as role, {_id("d")} as dst,
            e.origins as origins, v.number as version, abs(e.ext) as ext, e.ext is null or e.ext < 0 as own,
            {_id("r", "r1:")} as run
        from node s cross join past_edge e on e.src = s.id join node d on d.id = e.dst
        left join version v on v.id = e.version left join run r on r.id = e.run order by s.hash""",
    "retirement": f"""
        select {_id("r", "r1:")} as run, a.key as key, k.name as kind, s.name as namespace from retirement t
        join run r on r.id = t.run join name a on a.id = t.name join kind k on k.id = a.kind
        join namespace s on s.id = a.namespace order by r.hash, a.key, k.name, s.name""",
    "citation": f"""
        select {_id("n")} as claim, {_id("r", "r1:")} as run, c.number as number, c.marker as marker,
            c.marker_start as marker_start, c.marker_stop as marker_end,
            iif(t.id is null, null, {_id("t")}) as target, v.number as version, c.start as start, c.stop as end,
            c.whole as whole
        from node n cross join citation c on c.claim = n.id join run r on r.id = c.run
        left join node t on t.id = c.target left join version v on v.id = c.version order by n.hash""",
    "finding": f"""
        select {_id("r", "r1:")} as run, f.kind as kind, f.place as place, f.what as what from finding f
        join run r on r.id = f.run order by r.hash, f.kind, f.place, f.what""",
    "cause": """
        select name as id, type as kind, seq, at, reason, who as by, edition from cause where type < 2 order by name""",
    "change": """
        select c.name as cause, d.uri as uri, g.edition as edition, g.kind as kind, o.number as source,
            t.edition as target_edition, t.number as target
        from change g join cause c on c.id = g.cause join document d on d.id = g.document
        join version o on o.id = g.source join version t on t.id = g.target order by c.name, d.uri, g.edition""",
    "seed": f"""
        select {_id("n")} as node, c.name as cause, s.severity as severity, s.class as class, s.start as start,
            s.stop as end,
            (select json_group_array(v.number) from reader r join version v on v.id = r.version
             where r.cause = s.cause and r.node = s.node) as readers
        from node n cross join seed s on s.node = n.id join cause c on c.id = s.cause order by n.hash""",
    "mark": f"""
        select {_id("n")} as node, c.name as cause, m.severity as severity,
            iif(v.id is null, null, {_id("v")}) as via, m.since as since, m.resolution as resolution,
            m.seq > iif(m.severity = 2, o.invalid, o.other) as waiting,
            m.fell and m.seq > iif(m.severity = 2, o.invalid, o.other) as fell,
            (select json_group_array(w.number) from seed s
             join reader r on r.cause = s.cause and r.node = s.node join version w on w.id = r.version
             where s.cause = m.cause and s.node = m.node) as readers
        from node n cross join mark m on m.node = n.id cross join cursor o join cause c on c.id = m.cause
        left join node v on v.id = m.via order by n.hash""",
    "past_mark": f"""
        select {_id("n")} as node, c.name as cause, m.since as since, m.until as until, m.severity as severity,
            iif(v.id is null, null, {_id("v")}) as via, m.resolution as resolution
        from node n cross join past_mark m on m.node = n.id join cause c on c.id = m.cause
        left join node v on v.id = m.via order by n.hash""",
    "recheck": f"""
        select {_id("n")} as node, c.name as cause from recheck k join node n on n.id = k.node
        join cause c on c.id = k.cause order by n.hash""",
    "decision": f"""
        select {_id("n")} as node, c.name as cause, d.seq as seq, d.made as made, d.kind as kind,
            d.severity as severity, d.inputs as inputs, d.reason as reason, d.who as by, d.at as at
        from decision d join node n on n.id = d.node join cause c on c.id = d.cause order by n.hash""",
    "event": f"""
        select {_id("n")} as node, e.seq as seq, c.name as cause, e.at as at, e.was as was, e.is_now as is_now,
            e.resolution as resolution
        from event e join node n on n.id = e.node join cause c on c.id = e.cause order by n.hash""",
    "namespace_document": """
        select s.name as namespace, d.uri as uri, g.seq as seq from namespace_document g
        join namespace s on s.id = g.namespace join document d on d.id = g.document order by s.name, d.uri""",
    "namespace_input": """
        select s.name as namespace, i.name as input from namespace_input g join namespace s on s.id = g.namespace
        join namespace i on i.id = g.input order by s.name, i.name""",
    "passage": f"""
        select p.source as source, {_sha256("t")} as sha256, iif({_PURGED_SOURCE}, null, t.body) as text
        from (select distinct source, text from judgment_passage) p join text t on t.id = p.text
        order by p.source, t.hash""",
    "judgment": f"""
        select {_id("j", "j1:")} as key, j.number as number, g.name as judge, g.version as judge_version,
            g.configuration as judge_configuration, {_sha256("s")} as statement_sha256, s.body as statement,
            (select json_group_array(json_array(p.place, p.source, lower(hex(t.hash)))) from judgment_passage p
             join text t on t.id = p.text where p.judgment = j.id) as shown,
            j.verdict as verdict, j.score as score, j.reason as reason, j.latency as latency, j.cut as cut,
            j.who as by, j.seq as seq, j.at as at
        from judgment j join judge g on g.id = j.judge join text s on s.id = j.statement order by j.hash, j.number""",
    "choice": f"""
        select {_id("c", "j1:")} as key, c.seq as seq, c.number as number, c.reason as reason, c.who as by, c.at as at
        from judgment_choice c order by c.hash, c.seq""",
    "calibration": """
        select c.seq as seq, g.name as judge, g.version as judge_version, g.configuration as judge_configuration,
            c.labels as labels, c.seed as seed, c.kappa as kappa, c.body as body, c.at as at
        from calibration c join judge g on g.id = c.judge
        order by c.seq, g.name, g.version, g.configuration, c.labels, c.seed, c.body""",
    "score": f"""
        select {_id("n")} as node, s.seq as seq,
            row_number() over (partition by s.node, s.seq order by s.id) as place, s.at as at, s.body as body
        from score s join node n on n.id = s.node order by n.hash, s.seq, s.id""",
    "splitting": f"""
        select {_id("n")} as node, s.seq as seq, g.name as judge, g.version as judge_version,
            g.configuration as judge_configuration, s.parts as parts, s.who as by, s.at as at
        from splitting s join judge g on g.id = s.judge join node n on n.id = s.node order by n.hash, s.seq""",
    "moment": "select seq, at from moment order by seq",
    "sequence": "select value from sequence",
}  # fmt: skip
"""Each section's rows. What is of nodes comes in the order of the nodes."""

_NODE = "(select id from node where hash = digest(:{}))"
_RUN = "(select id from run where hash = digest(:run))"
_CAUSE = "(select id from cause where name = :cause)"
_DOCUMENT = "(select id from document where uri = :uri)"
_TEXT = "(select id from text where hash = digest(:{}))"
_NAME = "(select id from name where digest = key_digest(:key) and key = :key and kind = {} and namespace = {})"
_KIND = "(select id from kind where name = :kind)"
_NAMESPACE = "(select id from namespace where name = :namespace)"
_JUDGE = (
    "(select id from judge where name = :judge and version = :judge_version and configuration = :judge_configuration)"
)
_EXT = "iif(:own and :ext is not null, -:ext, :ext)"


def _version(edition: str, number: str) -> str:
    return f"(select id from version where document = {_DOCUMENT} and edition = :{edition} and number = :{number})"


def _read(node: str) -> str:
    return f"""(select v.id from span s join version v on v.document = s.document and v.edition = s.edition
        and v.number = :version where s.node = {_NODE.format(node)})"""


_TEXTS = """insert into text(hash, body) values (digest(:{0}), :{1})
    on conflict(hash) do update set body = coalesce(text.body, excluded.body)"""
_NAMESPACES = "insert into namespace(name) values (:namespace) on conflict do nothing"
_KINDS = "insert into kind(name) values (:kind) on conflict do nothing"
_JUDGES = """insert into judge(name, version, configuration) values (:judge, :judge_version, :judge_configuration)
    on conflict do nothing"""

WRITES: Final[dict[str, tuple[str, ...]]] = {
    "document": ("insert into document(uri, title, url, media_type) values (:uri, :title, :url, :media_type)",),
    "version": (
        f"""insert into version(hash, document, edition, number, text, base, alignment, seq, at, purged)
            values (digest(:id), {_DOCUMENT}, :edition, :number, {_TEXT.format("sha256")},
                    {_version("base_edition", "base")}, :alignment, :seq, :at, :purged)""",
        f"""insert into edition(document, edition, seq) values ({_DOCUMENT}, :edition, :edition_seq)
            on conflict do nothing""",
    ),
    "statement": (
        f"insert into statement(version, seq, at, body) values ({_version('edition', 'number')}, :seq, :at, :body)",
    ),
    "span": (
        f"insert into node(hash, kind, purged) values (digest(:id), {_KIND}, :purged)",
        f"""insert into span values ({_NODE.format("id")}, {_DOCUMENT}, :edition, {_version("edition", "version")},
            :start, :end)""",
    ),
    "run": (
        _NAMESPACES,
        f"""insert into run(hash, namespace, key, producer, body, derived, begin, at, finished, complete)
            values (digest(:id), {_NAMESPACE}, :key, :producer, :body, :derived, :begin, :at, :finished, :complete)""",
    ),
    "name": (
        _NAMESPACES, _KINDS,
        f"""insert into name(key, kind, namespace, digest) values (:key, {_KIND}, {_NAMESPACE}, key_digest(:key))""",
    ),
    "node": (
        f"""insert into node(hash, kind, name, text, attributes, named_first, named_last, run, begin, derived, made,
                lineage, unsettled, purged)
            values (digest(:id), {_KIND}, {_NAME.format(_KIND, _NAMESPACE)}, {_TEXT.format("sha256")}, :attributes,
                :named_first, :named_last, {_RUN}, :begin, :derived, :made, :lineage, :unsettled, :purged)""",
    ),
    "alias": (
        f"insert into alias values (:alias, {_NAMESPACE}, {_NODE.format('node')})",
    ),
    "asking": (
        f"insert into asking values ({_NODE.format('node')}, {_RUN}, :seq)",
    ),
    "edge": (
        f"""insert into edge values ({_NODE.format("src")}, :role, {_NODE.format("dst")}, :origins, {_read("dst")},
            :since, {_EXT})""",
    ),
    "making": (
        f"""insert into past_derivation values ({_NODE.format("node")}, {_RUN}, :begin, :derived, :made, :lineage,
            :until)""",
    ),
    "past_edge": (
        f"""insert into past_edge values ({_NODE.format("src")}, :role, {_NODE.format("dst")}, :origins,
            {_read("dst")}, :since, :until, {_EXT}, {_RUN})""",
    ),
    "retirement": (
        f"""insert into retirement select {_NAME.format(_KIND, _NAMESPACE)}, begin, id from run
            where hash = digest(:run)""",
    ),
    "citation": (
        f"""insert into citation values ({_NODE.format("claim")}, {_RUN}, :number, :marker, :marker_start,
            :marker_end, {_NODE.format("target")}, {_read("target")}, :start, :end, :whole)""",
    ),
    "finding": (
        f"insert into finding(run, kind, place, what) values ({_RUN}, :kind, :place, :what)",
    ),
    "cause": (
        """insert into cause(name, type, seq, at, reason, who, run, edition) values (:id, :kind, :seq, :at, :reason,
            :by, iif(:kind = 1, (select id from run where hash = digest(:id)), null), :edition)""",
    ),
    "change": (
        f"""insert into change values ({_CAUSE}, {_DOCUMENT}, :edition, :kind, {_version("edition", "source")},
            {_version("target_edition", "target")})""",
    ),
    "seed": (
        f"insert into seed values ({_CAUSE}, {_NODE.format('node')}, :severity, :class, :start, :end)",
    ),
    "mark": (
        f"""insert into mark(seq, cause, node, severity, via, since, fell, resolution)
            select coalesce((select max(seq) from mark where seq >= :low and seq < :high), :low) + 1, {_CAUSE},
                {_NODE.format("node")}, :severity, {_NODE.format("via")}, :since, :fell, :resolution""",
    ),
    "past_mark": (
        f"""insert into past_mark values ({_CAUSE}, {_NODE.format("node")}, :severity, {_NODE.format("via")}, :since,
            :until, :resolution)""",
    ),
    "recheck": (
        f"insert into recheck values ({_CAUSE}, {_NODE.format('node')})",
    ),
    "decision": (
        f"""insert into decision values ({_CAUSE}, {_NODE.format("node")}, :made, :kind, :severity, :inputs, :reason,
            :by, :seq, :at)""",
    ),
    "event": (
        f"""insert into temp.loaded_event values (:seq, :at, {_CAUSE}, {_NODE.format("node")}, :was, :is_now,
            :resolution)""",
    ),
    "namespace_document": (
        _NAMESPACES, f"insert into namespace_document values ({_NAMESPACE}, {_DOCUMENT}, :seq)",
    ),
    "namespace_input": (
        _NAMESPACES, "insert into namespace(name) values (:input) on conflict do nothing",
        f"""insert into namespace_input values ({_NAMESPACE}, (select id from namespace where name = :input))""",
    ),
    "passage": (
        _TEXTS.format("sha256", "text"),
    ),
    "judgment": (
        _TEXTS.format("statement_sha256", "statement"), _JUDGES,
        f"""insert into judgment(hash, number, judge, statement, verdict, score, reason, latency, cut, who, seq, at)
            values (digest(:key), :number, {_JUDGE}, {_TEXT.format("statement_sha256")}, :verdict, :score, :reason,
                :latency, :cut, :by, :seq, :at)""",
    ),
    "choice": (
        "insert into judgment_choice values (digest(:key), :number, :reason, :by, :seq, :at)",
    ),
    "calibration": (
        _JUDGES,
        f"""insert into calibration(judge, labels, seed, kappa, body, seq, at)
            values ({_JUDGE}, :labels, :seed, :kappa, :body, :seq, :at)""",
    ),
    "score": (
        f"insert into score(node, body, seq, at) values ({_NODE.format('node')}, :body, :seq, :at)",
    ),
    "splitting": (
        _JUDGES,
        f"""insert into splitting(node, judge, parts, who, seq, at)
            values ({_NODE.format("node")}, {_JUDGE}, :parts, :by, :seq, :at)""",
    ),
    "moment": ("insert into moment values (:seq, :at)",),
    "sequence": ("update sequence set value = :value",),
}  # fmt: skip

_FOUND: Final = {
    "document": "select 1 from document where uri = ?",
    "version": """select 1 from version v join document d on d.id = v.document
        where d.uri = ? and v.edition = ? and v.number = ?""",
    "run": "select 1 from run where hash = digest(?)",
    "cause": "select 1 from cause where name = ?",
    "name": """select 1 from name a join kind k on k.id = a.kind join namespace s on s.id = a.namespace
        where a.digest = key_digest(?1) and a.key = ?1 and k.name = ?2 and s.name = ?3""",
    "node": "select 1 from node where hash = digest(?)",
    "read": """select 1 from node n join span s on s.node = n.id join version v on v.document = s.document
        and v.edition = s.edition and v.number = ?2 where n.hash = digest(?1)""",
    "passage": "select 1 from text where ?1 = ?1 and hash = digest(?2)",
    "judgment": "select 1 from judgment where hash = digest(?) and number = ?",
}
_HOLDING: Final = ("document", "run", "node", "name", "judgment", "calibration", "finding")


def _digest(name: str | None) -> bytes | None:
    return None if name is None else bytes.fromhex(name.rpartition(":")[2])


class Copying:
    """Reads and writes rows as they are. Nothing is checked here but what the schema checks."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes
        connection.create_function("digest", 1, _digest, deterministic=True)
        connection.create_function("key_digest", 1, key_digest, deterministic=True)

    def rows(self, section: Section) -> Iterator[Row]:
        """All rows of a section in their order. SQLite sorts on disk what no index orders."""
        found = self._connection.execute(READS[section.name])
        names = [each[0] for each in found.description]
        rows = (section.out(dict(zip(names, row, strict=True))) for row in found)
        return section.ordered(rows) if section.of_nodes else rows

    def empty(self) -> bool:
        """Whether nothing was ever registered."""
        return not any(one(self._connection, f"select exists (select 1 from {table})") for table in _HOLDING)

    def known(self, target: str, wanted: Collection[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
        """Those of the names that the store has."""
        statement = _FOUND[target]
        return {names for names in wanted if self._connection.execute(statement, names).fetchone() is not None}

    def put(self, section: Section, rows: list[Row]) -> None:
        """Writes rows. What they name is there."""
        if section.name in ("version", "node"):
            self._many(_TEXTS.format("sha256", "text"), (row for row in rows if row["sha256"] is not None))
        if section.name == "span":
            self._codes.kind("span")
        elif section.name == "event":
            self._connection.execute(EVENTS)
        self._each(section.name, rows, _PREPARED.get(section.name))
        if section.name in _BESIDE:
            for statement, beside in _BESIDE[section.name]:
                self._many(statement, (each for row in rows for each in beside(row)))

    def _each(self, name: str, rows: list[Row], prepared: Callable[[Row], Row] | None) -> None:
        listed = [prepared(row) for row in rows] if prepared else rows
        for statement in WRITES[name]:
            self._many(statement, listed)

    def _many(self, statement: str, rows: Iterable[Row]) -> None:
        self._connection.executemany(statement, rows)

    def finish(self) -> None:
        """Marks that wait are put behind those that do not, events in the order of the sequence; nothing is unsettled.

        Who was unsettled elsewhere is read again here: this store has no later transaction that settles it.
        """
        last = one(self._connection, "select coalesce(max(seq), 0) from mark where seq < ?", (_FAR,))
        self._connection.execute("update mark set seq = seq - ? + ? where seq > ?", (_FAR, last, _FAR))
        self._connection.execute("update cursor set invalid = ?1, other = ?1", (last,))
        self._connection.execute(EVENTS)
        self._connection.execute(
            """insert into event(seq, at, cause, node, was, is_now, resolution)
               select e.seq, e.at, e.cause, e.node, e.was, e.is_now, e.resolution from temp.loaded_event e
               join cause c on c.id = e.cause join node n on n.id = e.node order by e.seq, c.name, n.hash"""
        )
        self._connection.execute("drop table temp.loaded_event")
        self._connection.execute(
            f"""insert into recheck
                select m.cause, e.src from node n join edge e on e.src = n.id and e.role <= {LAST_PASSING}
                join mark m on m.node = e.dst and m.severity > 0 where n.unsettled = 1
                union select s.cause, s.node from node n join seed s on s.node = n.id where n.unsettled = 1
                on conflict do nothing"""
        )
        self._connection.execute("update node set unsettled = 0 where unsettled = 1")
        self._codes.forget()


EVENTS = """create temp table if not exists loaded_event(
    seq integer, at integer, cause integer, node integer, was integer, is_now integer, resolution text)"""


def _span(row: Row) -> Row:
    return {**row, "kind": "span"}


def _mark(row: Row) -> Row:
    low, high = (_FAR, _FAR * 2) if row["waiting"] else (0, _FAR)
    return {**row, "low": low, "high": high}


def _decision(row: Row) -> Row:
    return {**row, "inputs": json.dumps(row["inputs"])}


def _splitting(row: Row) -> Row:
    parts = row["parts"]
    return {**row, "parts": None if parts is None else canonical_json(parts, item=row["node"])}


_PREPARED: Final = {"span": _span, "mark": _mark, "decision": _decision, "splitting": _splitting}


def _anchors(row: Row) -> Iterable[Row]:
    return ({**row, "number": number, "start": start, "end": end} for number, start, end in row["anchors"])


def _kinds(row: Row) -> Iterable[Row]:
    return ({"kind": kind, "run": row["id"]} for kind in row["kinds"])


def _sweeps(row: Row) -> Iterable[Row]:
    return (
        {"kind": kind, "run": row["id"], "namespace": row["namespace"]}
        for kind in row["kinds"]
        if row["complete"] and kind not in _NEVER_SWEPT
    )


def _details(row: Row) -> Iterable[Row]:
    return [row] if any(row[name] is not None for name in ("title", "reason", "details")) else []


def _if(name: str) -> Callable[[Row], Iterable[Row]]:
    return lambda row: [row] if row[name] is not None else []


def _answers(row: Row) -> Iterable[Row]:
    if row["question"] is None:
        return []
    from lineage_schema.identity import content_hash

    searched = json.dumps(row["searched"]) if row["searched"] else None
    return [{**row, "question_sha256": content_hash(row["question"]), "searched": searched}]


def _currents(row: Row) -> Iterable[Row]:
    return [row] if row["current"] else []


def _readers(row: Row) -> Iterable[Row]:
    return ({**row, "version": number} for number in row["readers"])


def _shown(row: Row) -> Iterable[Row]:
    return (
        {"key": row["key"], "number": row["number"], "place": place, "source": source, "sha256": sha256}
        for place, (source, sha256) in enumerate(row["shown"])
    )


_BESIDE: Final[dict[str, tuple[tuple[str, Callable[[Row], Iterable[Row]]], ...]]] = {
    "version": (
        (
            f"""update edition set current = {_version("edition", "number")}
                where document = {_DOCUMENT} and edition = :edition""",
            _currents,
        ),
    ),
    "span": (
        (
            f"insert into anchor values ({_version('edition', 'number')}, {_NODE.format('id')}, :start, :end)",
            _anchors,
        ),
    ),
    "run": (
        (_KINDS, _kinds),
        (f"insert into naming values ({_RUN}, {_KIND})", _kinds),
        (
            f"insert into sweep select {_NAMESPACE}, {_KIND}, begin, id from run where hash = digest(:run)",
            _sweeps,
        ),
    ),
    "node": (
        (f"insert into detail values ({_NODE.format('id')}, :title, :reason, :details)", _details),
        (_TEXTS.format("question_sha256", "question"), _answers),
        (
            f"""insert into answer(node, cache_key, question, asked, at, searched) values ({_NODE.format("id")},
                :cache_key, {_TEXT.format("question_sha256")}, :named_first, :at, :searched)""",
            _answers,
        ),
        (f"insert into claim values ({_NODE.format('id')}, :label, :needs_evidence)", _if("needs_evidence")),
        (
            f"""update name set current = {_NODE.format("id")}
                where digest = key_digest(:key) and key = :key and kind = {_KIND} and namespace = {_NAMESPACE}""",
            _currents,
        ),
    ),
    "seed": (
        (
            f"insert into reader select {_CAUSE}, {_NODE.format('node')}, {_read('node')}",
            _readers,
        ),
    ),
    "judgment": (
        (
            f"""insert into judgment_passage select id, :place, {_TEXT.format("sha256")}, :source from judgment
                where hash = digest(:key) and number = :number""",
            _shown,
        ),
    ),
}
"""What one row of a section makes besides: statements, and the rows for each."""
