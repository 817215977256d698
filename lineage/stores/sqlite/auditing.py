"""What ``verify`` reads of SQLite: the file itself, sources, runs and causes. Nodes and marks have modules beside."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
from lineage.stores.sqlite.auditing_graph import GraphAuditing
from lineage.stores.sqlite.auditing_marks import MarkAuditing
from lineage.stores.sqlite.codes import id_of, one
from lineage.stores.sqlite.migrate import migrations
from lineage_schema.identity import NODE_TAG, VERSION_TAG


class Auditing(GraphAuditing, MarkAuditing):
    """Reads everything and changes nothing. References are followed by outer joins, so that no row is passed over."""

    @contextmanager
    def lenient(self) -> Generator[None]:
        """Within it, bytes that are no text are read as text with a replacement character, which then is a fault."""
        before = self._connection.text_factory
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            yield
        finally:
            self._connection.text_factory = before

    # the file

    def storage(self) -> Iterator[Finding]:
        """Faults of the store's own means: the file, its record of migrations, its queue."""
        for (fault,) in self._connection.execute("pragma integrity_check"):
            if fault != "ok":
                yield "database file", "integrity", fault, "ok"
        for table, row, parent, key in self._connection.execute("pragma foreign_key_check").fetchall():
            column = next(each[3] for each in self._connection.execute(f"pragma foreign_key_list({table})").fetchall()
                          if each[0] == key)  # fmt: skip
            where = table if row is None else f"{table} row {row}"
            yield where, column, "a reference that leads nowhere", f"a row of {parent}"
        known = {step.number: step for step in migrations()}
        for number, name, checksum in self._connection.execute("select number, name, checksum from migration"):
            step = known.pop(number, None)
            if step is None:
                yield f"migration {number}", "number", number, "a step that this program knows"
                continue
            for column, found, expected in (("name", name, step.name), ("checksum", checksum, step.checksum)):
                if found != expected:
                    yield f"migration {number}", column, found, expected
        yield from self._queue()

    def _queue(self) -> Iterator[Finding]:
        for table in ("sequence", "cursor"):
            count = one(self._connection, f"select count(*) from {table}")
            if count != 1:
                yield table, "rows", count, 1
        last = one(self._connection, "select coalesce(max(seq), 0) from mark")
        for invalid, other, top in self._connection.execute("select invalid, other, top from cursor"):
            for column, value in (("invalid", invalid), ("other", other)):
                if not 0 <= value <= last:
                    yield "cursor", column, value, f"from 0 to {last}, the last mark in the queue"
            if top:
                yield "cursor", "top", top, "0: it is not in use"
        first = one(self._connection, "select min(seq) from mark")
        if first is not None and first < 1:
            yield "mark queue", "seq", first, "at least 1"

    def counts(self) -> dict[str, int]:
        """How many texts, nodes, edges, spans and marks there are."""
        return {
            table: int(one(self._connection, f"select count(*) from {table}"))
            for table in ("text", "node", "edge", "span", "mark")
        }

    def schema(self) -> int:
        """The number of the last step of the schema that was applied."""
        return int(one(self._connection, "select max(number) from migration"))

    def unsettled(self) -> int:
        """How many nodes have not read their inputs' marks."""
        return int(one(self._connection, "select count(*) from node where unsettled <> 0"))

    def unfinished(self) -> list[Unfinished]:
        """The runs that have not ended, in order."""
        return [
            Unfinished(_run_id(digest) or "", space, key, begin, at)
            for digest, space, key, begin, at in self._connection.execute(
                """select r.hash, s.name, r.key, r.begin, r.at from run r join namespace s on s.id = r.namespace
                   where r.finished is null order by r.begin"""
            )
        ]

    def log_size(self) -> int:
        """Bytes that are written beside the store's file, and not yet into it."""
        for _, name, path in self._connection.execute("pragma database_list").fetchall():
            log = Path(f"{path}-wal")
            if name == "main" and path and log.is_file():
                return log.stat().st_size
        return 0

    def last_number(self) -> int:
        """The last number that the sequence says it gave."""
        return int(one(self._connection, "select coalesce(max(value), 0) from sequence"))

    def numbers(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Numbers that several things have that each got one of its own, and the last one of all that were given."""
        for number, what in self._connection.execute(f"{NUMBERS} group by number having count(*) > 1").fetchall():
            yield number, tuple(sorted(what.split(",")))
        yield one(self._connection, f"select coalesce(max(number), 0) from ({NUMBERS} group by number)"), ()

    def given(self, number: int) -> Iterator[tuple[str, str | None, str]]:
        """(what, node, field) of some rows that have a number of the sequence."""
        for what, digest, field in self._connection.execute(GIVEN, (number,)).fetchall():
            yield what, digest and id_of(digest), field

    # sources

    def texts(self) -> Iterator[TextAudit]:
        """All texts, with their bodies."""
        purged_sources = [
            tag + digest.hex()
            for tag, table in ((NODE_TAG, "node"), (VERSION_TAG, "version"))
            for (digest,) in self._connection.execute(f"select hash from {table} where purged = 1")
        ]
        # A statement's judgment does not tell whether the claim was purged.
        for digest, body, purged in self._connection.execute(
            """select t.hash, t.body, u.purged from text t left join (
                 select text, min(purged) as purged from (
                   select text, purged from node where text is not null
                   union all select text, purged from version where text is not null
                   union all select question, 0 from answer
                   union all select j.statement, s.body is null from judgment j join text s on s.id = j.statement
                   union all select text, source in (select value from json_each(?)) from judgment_passage)
                   group by text) u on u.text = t.id""",
            (json.dumps(purged_sources),),
        ):
            yield TextAudit(digest.hex(), body, None if purged is None else not purged)

    def documents(self) -> Iterator[DocumentAudit]:
        """All documents."""
        for uri, editions, versions in self._connection.execute(
            """select d.uri, (select group_concat(edition) from edition e where e.document = d.id),
                      (select group_concat(distinct edition) from version v where v.document = d.id)
               from document d order by d.uri"""
        ):
            yield DocumentAudit(uri, _numbers(editions), _numbers(versions))

    def versions(self) -> Iterator[VersionAudit]:
        """All versions by document, edition and number."""
        for uri, edition, number, digest, text, base_uri, base_edition, base, *rest in self._connection.execute(
            """select d.uri, v.edition, v.number, v.hash, t.hash, bd.uri, b.edition, b.number, v.alignment, v.seq, v.at,
                      v.purged, e.seq, c.number, x.name, x.seq, x.at
               from version v left join document d on d.id = v.document left join text t on t.id = v.text
               left join version b on b.id = v.base left join document bd on bd.id = b.document
               left join edition e on e.document = v.document and e.edition = v.edition
               left join version c on c.id = e.current and c.document = v.document and c.edition = v.edition
               left join change g on g.target = v.id left join cause x on x.id = g.cause
               order by v.document, v.edition, v.number"""
        ):
            sha256 = None if text is None else text.hex()
            at = None if base is None else (base_uri, base_edition, base)
            yield VersionAudit(uri, edition, number, "v1:" + digest.hex(), sha256, at, *rest)

    def spans(self) -> Iterator[SpanAudit]:
        """All spans."""
        for row in self._connection.execute(
            """select n.hash, n.kind, n.purged, d.uri, s.edition, s.start, s.stop, vd.uri, v.edition, v.number,
                      v.purged, a.start, a.stop
               from span s left join node n on n.id = s.node left join document d on d.id = s.document
               left join version v on v.id = s.version left join document vd on vd.id = v.document
               left join anchor a on a.version = s.version and a.node = s.node"""
        ):
            digest, kind, purged, uri, edition, start, stop, v_uri, v_edition, number, v_purged, a_start, a_stop = row
            yield SpanAudit(
                None if digest is None else id_of(digest), self._kind(kind), purged, uri, edition, start, stop,
                None if number is None else (v_uri, v_edition, number), v_purged,
                None if a_start is None else (a_start, a_stop),
            )  # fmt: skip

    def first_spans(self, uri: str, edition: int, number: int, size: int) -> Iterator[list[str]]:
        """The spans whose first place is in a version and who are anchored there, in pages."""
        cursor = self._connection.execute(
            """select n.hash from document d join version v on v.document = d.id and v.edition = ? and v.number = ?
               join anchor a on a.version = v.id join span s on s.node = a.node and s.version = v.id
               join node n on n.id = s.node where d.uri = ?""",
            (edition, number, uri),
        )
        while rows := cursor.fetchmany(size):
            yield [id_of(digest) for (digest,) in rows]

    def stray_anchors(self) -> Iterator[tuple[str | None, Place | None, int, int]]:
        """(span, place, start, end) of anchors that are of no span, or in another edition than their span."""
        for digest, uri, edition, number, start, stop in self._connection.execute(
            """select n.hash, d.uri, v.edition, v.number, a.start, a.stop from anchor a
               left join version v on v.id = a.version left join document d on d.id = v.document
               left join span s on s.node = a.node left join node n on n.id = a.node
               where s.node is null or v.id is null or v.document <> s.document or v.edition <> s.edition"""
        ):
            place = None if number is None else (uri, edition, number)
            yield None if digest is None else id_of(digest), place, start, stop

    def stray_readers(self) -> Iterator[tuple[str | None, str | None, Place | None]]:
        """(cause, node, version) of readers of seeds that do not exist, or of no version."""
        for cause, digest, uri, edition, number in self._connection.execute(
            """select c.name, n.hash, d.uri, v.edition, v.number from reader r left join cause c on c.id = r.cause
               left join node n on n.id = r.node left join version v on v.id = r.version
               left join document d on d.id = v.document left join span p on p.node = r.node
               where c.id is null or v.id is null or p.node is null or v.document <> p.document
                 or v.edition <> p.edition
                 or not exists (select 1 from seed s where s.cause = r.cause and s.node = r.node)"""
        ):
            place = None if number is None else (uri, edition, number)
            yield cause, None if digest is None else id_of(digest), place

    # runs and causes

    def runs(self) -> Iterator[RunAudit]:
        """All runs."""
        for row, digest, space, key, producer, body, derived, begin, at, finished, complete in self._connection.execute(
            """select r.id, r.hash, s.name, r.key, r.producer, r.body, r.derived, r.begin, r.at, r.finished, r.complete
               from run r left join namespace s on s.id = r.namespace order by r.begin"""
        ):
            named, swept = (
                tuple(
                    self._kind(kind)
                    for (kind,) in self._connection.execute(f"select kind from {table} where run = ?", (row,))
                )
                for table in ("naming", "sweep")
            )
            yield RunAudit(
                _run_id(digest) or "", space, key, producer, body, derived, begin, at, finished, complete, named, swept
            )

    def namings(self) -> Iterator[tuple[str | None, str | None, bool]]:
        """(run, kind, borne out) of what runs say they named: some node's namings reach over the run."""
        begins: dict[int, list[int]] = {}
        reach: dict[int, list[int]] = {}
        for kind, first, last in self._connection.execute(
            """select kind, named_first, max(named_last) from node where named_first is not null
               group by kind, named_first order by kind, named_first"""
        ):
            begins.setdefault(kind, []).append(first)
            known = reach.setdefault(kind, [])
            known.append(max(last, known[-1] if known else last))
        for digest, begin, kind in self._connection.execute(
            "select r.hash, r.begin, g.kind from naming g left join run r on r.id = g.run"
        ):
            at = bisect_right(begins.get(kind, []), begin or 0)
            word = self._kind(kind)
            # Answers and claims are named as of their asking, which comes after the run's begin.
            asked = word in ("answer", "claim") and kind in begins
            yield _run_id(digest), word, asked or (at > 0 and reach[kind][at - 1] >= (begin or 0))

    def retirings(self) -> Iterator[RetiringAudit]:
        """All retirements and sweeps."""
        for kind, space, key, begin, digest, run_begin in self._connection.execute(
            """select a.kind, s.name, a.key, t.begin, r.hash, r.begin from retirement t
               left join name a on a.id = t.name left join namespace s on s.id = a.namespace
               left join run r on r.id = t.run"""
        ):
            what = f"retirement of {self._kind(kind)}:{space}/{key}"
            yield RetiringAudit(what, key is not None, False, begin, _run_id(digest), run_begin, True)
        for kind, space, begin, digest, run_begin, ended in self._connection.execute(
            """select w.kind, s.name, w.begin, r.hash, r.begin, r.complete = 1 and r.namespace = w.namespace
                      and exists (select 1 from naming g where g.run = w.run and g.kind = w.kind)
               from sweep w left join namespace s on s.id = w.namespace left join run r on r.id = w.run"""
        ):
            word = self._kind(kind)
            known = word is not None and space is not None
            yield RetiringAudit(
                f"sweep of {word} in {space}", known, True, begin, _run_id(digest), run_begin, bool(ended)
            )

    def causes(self) -> Iterator[CauseAudit]:
        """All causes."""
        for row, name, type_, seq, at, reason, who, digest, begin, run_at, edition in self._connection.execute(
            """select c.id, c.name, c.type, c.seq, c.at, c.reason, c.who, r.hash, r.begin, r.at, c.edition
               from cause c left join run r on r.id = c.run order by c.seq, c.name"""
        ):
            changes = [self._change(each) for each in self._connection.execute(CHANGES, (row,))]
            yield CauseAudit(name, type_, seq, at, reason, who, _run_id(digest), begin, run_at, edition, changes)
        for row, uri in self._connection.execute(
            """select g.cause, d.uri from change g left join document d on d.id = g.document
               where not exists (select 1 from cause c where c.id = g.cause)"""
        ):
            yield CauseAudit(f"of no cause, about {uri}", -1, 0, 0, None, None, None, None, None, row, [])

    @staticmethod
    def _change(row: tuple[Any, ...]) -> ChangeAudit:
        uri, edition, kind, *places, seq, at, text = row
        source, target, base = (
            None if places[of + 2] is None else (places[of], places[of + 1], places[of + 2]) for of in (0, 3, 6)
        )
        return ChangeAudit(uri, edition, kind, source, target, seq, at, base, bool(text))


def _numbers(joined: str | None) -> tuple[int, ...]:
    return () if joined is None else tuple(sorted(map(int, joined.split(","))))


def _run_id(digest: bytes | None) -> str | None:
    return None if digest is None else "r1:" + digest.hex()


CHANGES = """
select d.uri, g.edition, g.kind, sd.uri, s.edition, s.number, td.uri, t.edition, t.number, bd.uri, b.edition, b.number,
       t.seq, t.at, t.text is not null
from change g left join document d on d.id = g.document
left join version s on s.id = g.source left join document sd on sd.id = s.document
left join version t on t.id = g.target left join document td on td.id = t.document
left join version b on b.id = t.base left join document bd on bd.id = b.document
where g.cause = ? order by d.uri, g.edition
"""

NUMBERS = """
select number, group_concat(what) from (
    select begin as number, 'run' as what from run
    union all select asked, 'asking' from asking
    union all select seq, 'decision' from decision
    union all select s.seq, 'statement' from statement s join version v on v.id = s.version where not exists (
        select 1 from change g join cause x on x.id = g.cause
        where g.document = v.document and x.seq = s.seq and s.version in (g.source, g.target))
    union all select * from (
        select seq, 'version' from version
        union select since, 'derivation' from edge where since not in (select begin from run)
        union select made, 'derivation' from node where made is not null and made not in (select begin from run)
        union select made, 'derivation' from past_derivation where made not in (select begin from run)
        union select until, 'derivation' from past_derivation where until is not null
        union select since, 'derivation' from past_edge where since not in (select begin from run)
        union select until, 'derivation' from past_edge
        union select since, 'mark' from mark
        union select since, 'mark' from past_mark
        union select until, 'mark' from past_mark
        union select seq, 'mark' from event
        union select seq, 'judgment' from judgment
        union select seq, 'choice of a judgment' from judgment_choice
        union select seq, 'calibration' from calibration
        union select seq, 'score' from score
        union select seq, 'splitting' from splitting))
"""
"""Each number of the sequence with what got it. A derivation's, a mark's and a version's may be one of several rows."""

GIVEN = """
select 'run r1:' || lower(hex(hash)), null, 'begin' from run where begin = ?1
union all select d.uri || ' v' || v.number, null, 'seq' from version v join document d on d.id = v.document
    where v.seq = ?1
union all select d.uri || ' v' || v.number || ' statement', null, 'seq, version' from statement s
    join version v on v.id = s.version join document d on d.id = v.document where s.seq = ?1
union all select 'asking of', n.hash, 'asked' from asking g join node n on n.id = g.node where g.asked = ?1
union all select 'decision on', n.hash, 'seq' from decision d join node n on n.id = d.node where d.seq = ?1
union all select 'edge of', n.hash, 'since' from edge e join node n on n.id = e.src where e.since = ?1
union all select 'making of', n.hash, 'made' from node n where n.made = ?1
union all select 'past making of', n.hash, iif(p.made = ?1, 'made', 'until') from past_derivation p
    join node n on n.id = p.node where ?1 in (p.made, p.until)
union all select 'past edge of', n.hash, iif(p.since = ?1, 'since', 'until') from past_edge p
    join node n on n.id = p.src where ?1 in (p.since, p.until)
union all select 'mark of', n.hash, 'since' from mark m join node n on n.id = m.node where m.since = ?1
union all select 'past mark of', n.hash, iif(p.since = ?1, 'since', 'until') from past_mark p
    join node n on n.id = p.node where ?1 in (p.since, p.until)
union all select 'event ' || e.id || ' of', n.hash, 'seq' from event e join node n on n.id = e.node where e.seq = ?1
union all select 'judgment j1:' || lower(hex(hash)), null, 'seq' from judgment where seq = ?1
union all select 'choice of judgment j1:' || lower(hex(hash)), null, 'seq' from judgment_choice where seq = ?1
union all select 'calibration ' || id, null, 'seq' from calibration where seq = ?1
union all select 'score of', n.hash, 'seq' from score s join node n on n.id = s.node where s.seq = ?1
union all select 'splitting of', n.hash, 'seq' from splitting s join node n on n.id = s.node where s.seq = ?1
limit 20
"""
