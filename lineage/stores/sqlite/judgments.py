"""Judgments, calibrations, scores and splittings in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from lineage.stores.base import Kept
from lineage.stores.sqlite.codes import Codes, chunks, id_of, marks
from lineage.stores.sqlite.sources import Sources
from lineage_schema.canonical import canonical_json
from lineage_schema.identity import content_hash
from lineage_schema.judgments import JUDGMENT_TAG, Calibration, JudgeId, Judgment, Shown, Splitting
from lineage_schema.vocabulary import Verdict

ROWS = """select j.id, j.hash, j.number, s.body, g.name, g.version, g.configuration, j.verdict, j.score, j.reason,
    j.latency, j.cut, j.who, j.seq, j.at, j.number = (select c.number from judgment_choice c where c.hash = j.hash
    order by c.seq desc limit 1) from judgment j join judge g on g.id = j.judge join text s on s.id = j.statement"""


class Judgments:
    """What judges said. Rows are only added."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes, sources: Sources) -> None:
        self._connection = connection
        self._codes = codes
        self._sources = sources
        self._judges: dict[JudgeId, int] = {}

    def forget(self) -> None:
        """Drops remembered rows after a rollback."""
        self._judges.clear()

    # verdicts

    def put(self, rows: Sequence[Judgment], seq: int, at: int) -> Kept:
        """Keeps verdicts. One that is there already is kept once; one that differs is kept beside the others."""
        held = {key: [each.verdict for each in found] for key, found in self.find({row.key for row in rows}).items()}
        texts: dict[str, str] = {}
        new: list[tuple[Judgment, int]] = []
        conflicts: dict[str, None] = {}
        for row in rows:
            verdicts = held.setdefault(row.key, [])
            if row.verdict in verdicts:
                continue
            if verdicts:
                conflicts[row.key] = None
            verdicts.append(row.verdict)
            new.append((row, len(verdicts)))
            assert row.statement is not None  # only what was read back can have lost its text
            texts[content_hash(row.statement)] = row.statement
            texts.update((shown.sha256, shown.text) for shown in row.passages if shown.text is not None)
        text_rows = self._sources.put_texts(texts)
        for row, number in new:
            (id_,) = self._connection.execute(
                """insert into judgment(hash, number, judge, statement, verdict, score, reason, latency, cut, who,
                   seq, at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id""",
                (
                    _digest(row.key),
                    number,
                    self._judge(row.judge),
                    text_rows[content_hash(row.statement or "")],
                    row.verdict.value,
                    row.score,
                    row.reason,
                    row.latency,
                    row.cut,
                    row.by,
                    seq,
                    at,
                ),
            ).fetchone()
            self._connection.executemany(
                "insert into judgment_passage values (?, ?, ?, ?)",
                (
                    (id_, place, text_rows[shown.sha256], shown.source)
                    for place, shown in enumerate(row.passages)
                ),
            )  # fmt: skip
        return Kept(len(new), len(rows) - len(new), sorted(conflicts))

    def find(self, keys: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts under keys, in the order in which they came; unknown keys are left out."""
        found: dict[str, list[Judgment]] = {}
        for part in chunks([_digest(key) for key in keys]):
            for row in self._judgments(f"where j.hash in ({marks(len(part))}) order by j.hash, j.number", part):
                found.setdefault(row.key, []).append(row)
        return found

    def of_statements(self, statements: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts on statements, by the statement's text, by key and number."""
        by_hash = {content_hash(text): text for text in statements}
        found: dict[str, list[Judgment]] = {}
        for part in chunks(sorted(by_hash)):
            for row in self._judgments(
                f"where s.hash in ({marks(len(part))}) order by j.hash, j.number",
                [bytes.fromhex(sha256) for sha256 in part],
            ):
                # A purged statement is nobody's any more.
                if row.statement is not None:
                    found.setdefault(row.statement, []).append(row)
        return found

    def keys(self, *, after: str = "", limit: int) -> list[str]:
        """Judgment keys in order, a page of them."""
        rows = self._connection.execute(
            "select distinct hash from judgment where hash > ? order by hash limit ?", (_digest(after), limit)
        )
        return [JUDGMENT_TAG + digest.hex() for (digest,) in rows]

    def conflicts(self) -> list[str]:
        """Keys whose verdicts differ and of which none was chosen, in order."""
        rows = self._connection.execute(
            """select distinct hash from judgment j where number > 1
               and not exists (select 1 from judgment_choice c where c.hash = j.hash) order by hash"""
        )
        return [JUDGMENT_TAG + digest.hex() for (digest,) in rows]

    def judges(self) -> list[tuple[JudgeId, int]]:
        """Who gave verdicts, and how many, by name, version and configuration."""
        rows = self._connection.execute(
            """select g.name, g.version, g.configuration, count(*) from judgment j join judge g on g.id = j.judge
               group by g.id order by g.name, g.version, g.configuration"""
        )
        return [(JudgeId(name, version, configuration), count) for name, version, configuration, count in rows]

    def choose(self, key: str, number: int, reason: str, by: str | None, seq: int, at: int) -> None:
        """A person decides which of a key's verdicts holds. The last word counts."""
        self._connection.execute(
            "insert into judgment_choice values (?, ?, ?, ?, ?, ?)", (_digest(key), number, reason, by, seq, at)
        )

    def _judgments(self, rest: str, parameters: Iterable[bytes]) -> list[Judgment]:
        rows = self._connection.execute(f"{ROWS} {rest}", list(parameters)).fetchall()
        shown: dict[int, list[Shown]] = {row[0]: [] for row in rows}
        for part in chunks(list(shown)):
            for id_, digest, body, source in self._connection.execute(
                f"""select p.judgment, t.hash, t.body, p.source from judgment_passage p join text t on t.id = p.text
                    where p.judgment in ({marks(len(part))}) order by p.judgment, p.place""",
                part,
            ):
                shown[id_].append(Shown(digest.hex(), source, body))
        return [
            Judgment(
                key=JUDGMENT_TAG + digest.hex(),
                statement=statement,
                passages=tuple(shown[id_]),
                judge=JudgeId(name, version, configuration),
                verdict=Verdict(verdict),
                score=score,
                reason=reason,
                latency=latency,
                cut=bool(cut),
                by=who,
                number=number,
                chosen=bool(chosen),
                seq=seq,
                at=at,
            )
            for (
                id_, digest, number, statement, name, version, configuration, verdict, score, reason, latency, cut, who,
                seq, at, chosen,
            ) in rows
        ]  # fmt: skip

    def _judge(self, judge: JudgeId) -> int:
        if judge not in self._judges:
            names = (judge.name, judge.version, judge.configuration)
            self._connection.execute(
                "insert into judge(name, version, configuration) values (?, ?, ?) on conflict do nothing", names
            )
            (self._judges[judge],) = self._connection.execute(
                "select id from judge where name = ? and version = ? and configuration = ?", names
            ).fetchone()
        return self._judges[judge]

    # how well judges do, and what scores were

    def put_calibration(self, row: Calibration, seq: int, at: int) -> None:
        """Keeps how a judge did on labelled examples."""
        self._connection.execute(
            "insert into calibration(judge, labels, seed, kappa, body, seq, at) values (?, ?, ?, ?, ?, ?, ?)",
            (self._judge(row.judge), row.labels, row.seed, row.kappa, row.body, seq, at),
        )

    def calibrations(self, judge: JudgeId | None = None) -> list[Calibration]:
        """Those of a judge, or of all, in order of the sequence."""
        where, names = "", tuple[str, ...]()
        if judge is not None:
            where = "where g.name = ? and g.version = ? and g.configuration = ?"
            names = (judge.name, judge.version, judge.configuration)
        rows = self._connection.execute(
            f"""select g.name, g.version, g.configuration, c.labels, c.seed, c.kappa, c.body, c.seq, c.at
                from calibration c join judge g on g.id = c.judge {where} order by c.seq, c.id""",
            names,
        )
        return [Calibration(JudgeId(*row[:3]), *row[3:]) for row in rows]

    def put_score(self, answer: str, body: str, seq: int, at: int) -> None:
        """Keeps an answer's score (canonical JSON). It is never changed."""
        row = self._codes.rows([answer])[answer]
        self._connection.execute("insert into score(node, body, seq, at) values (?, ?, ?, ?)", (row, body, seq, at))

    def scores(self, answer: str) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the scores of an answer that were kept, in order."""
        row = self._codes.rows([answer]).get(answer)
        return self._connection.execute(
            "select seq, at, body from score where node = ? order by seq, id", (row,)
        ).fetchall()

    # what claims were split into

    def put_splittings(self, rows: Sequence[Splitting], seq: int, at: int) -> None:
        """Keeps what claims were split into, one splitting a claim. The claims are there."""
        nodes = self._codes.rows([row.claim for row in rows])
        self._connection.executemany(
            "insert into splitting(node, judge, parts, who, seq, at) values (?, ?, ?, ?, ?, ?)",
            [(nodes[row.claim], self._judge(row.splitter), _parts(row), row.by, seq, at) for row in rows],
        )

    def splittings(self, claims: Collection[str]) -> dict[str, list[Splitting]]:
        """What claims were split into, in order of the sequence; claims that were not are left out."""
        found: dict[str, list[Splitting]] = {}
        for part in chunks(sorted(self._codes.rows(claims).values())):
            for digest, parts, name, version, configuration, *rest in self._connection.execute(
                f"""select n.hash, s.parts, g.name, g.version, g.configuration, s.who, s.seq, s.at
                    from splitting s join node n on n.id = s.node join judge g on g.id = s.judge
                    where s.node in ({marks(len(part))}) order by s.node, s.seq""",
                part,
            ):
                claim = id_of(digest)
                read = None if parts is None else tuple(json.loads(parts))
                splitter = JudgeId(name, version, configuration)
                found.setdefault(claim, []).append(Splitting(claim, read, splitter, *rest))
        return found


def _parts(row: Splitting) -> str:
    assert row.parts is not None  # only what was read back can have lost its parts
    return canonical_json(row.parts, item=row.claim)


def _digest(key: str) -> bytes:
    """The 20 bytes of a judgment key. Anything else has a digest that no row has."""
    try:
        return bytes.fromhex(key.removeprefix(JUDGMENT_TAG)) if key.startswith(JUDGMENT_TAG) else b""
    except ValueError:
        return b""
