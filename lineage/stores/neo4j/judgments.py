"""Judgments, calibrations, scores and splittings in Neo4j."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, Final

from lineage.stores.base import Kept
from lineage.stores.neo4j.cypher import Cypher
from lineage_schema.canonical import canonical_json
from lineage_schema.identity import content_hash
from lineage_schema.judgments import Calibration, JudgeId, Judgment, Shown, Splitting
from lineage_schema.vocabulary import Verdict

KEPT: Final = """
RETURN j.key, j.number, j.statement, g.name, g.version, g.configuration, j.verdict, j.score, j.reason, j.latency, j.cut,
    j.by, j.seq, j.at,
    j.number = COLLECT { MATCH (c:JudgmentChoice {key: j.key}) RETURN c.number ORDER BY c.seq DESC LIMIT 1 }[0],
    COLLECT { MATCH (j)-[s:SHOWN]->(p:Passage) RETURN [p.sha256, s.source, p.text] ORDER BY s.place }
ORDER BY j.key, j.number
"""
"""A judgment ``j`` by judge ``g``, with the passages that were shown in order."""

KEEP: Final = """
UNWIND $rows AS row MERGE (g:Judge {name: row.judge[0], version: row.judge[1], configuration: row.judge[2]})
CREATE (j:Judgment)-[:GIVEN_BY]->(g) SET j = row.kept, j.seq = $seq, j.at = $at
WITH j, row UNWIND range(0, size(row.shown) - 1) AS place WITH j, place, row.shown[place] AS shown
MERGE (p:Passage {sha256: shown[0], source: shown[1]}) ON CREATE SET p.text = shown[2]
CREATE (j)-[:SHOWN {place: place, source: shown[1]}]->(p)
"""

SPLIT: Final = """
UNWIND $rows AS row MERGE (g:Judge {name: row.judge[0], version: row.judge[1], configuration: row.judge[2]})
WITH row, g MATCH (n:LineageNode {id: row.claim})
CREATE (g)<-[:SPLIT_BY]-(s:Splitting)-[:SPLITS]->(n) SET s = row.kept, s.seq = $seq, s.at = $at
"""


class Judgments:
    """What judges said. Nodes are only added; a purge takes their texts."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    # verdicts

    def put(self, rows: Sequence[Judgment], seq: int, at: int) -> Kept:
        """Keeps verdicts. One that is there already is kept once; one that differs is kept beside the others."""
        held = {key: [each.verdict for each in found] for key, found in self.find({row.key for row in rows}).items()}
        new: list[dict[str, Any]] = []
        conflicts: dict[str, None] = {}
        for row in rows:
            verdicts = held.setdefault(row.key, [])
            if row.verdict in verdicts:
                continue
            if verdicts:
                conflicts[row.key] = None
            verdicts.append(row.verdict)
            assert row.statement is not None  # only what was read back can have lost its text
            kept = {
                "key": row.key, "number": len(verdicts), "statement": row.statement,
                "statement_sha256": content_hash(row.statement), "verdict": row.verdict.value, "score": row.score,
                "reason": row.reason, "latency": row.latency, "cut": row.cut, "by": row.by,
            }  # fmt: skip
            judge = [row.judge.name, row.judge.version, row.judge.configuration]
            shown = [[each.sha256, each.source, each.text] for each in row.passages]
            new.append({"kept": kept, "judge": judge, "shown": shown})
        self._cypher.write(KEEP, new, seq=seq, at=at)
        return Kept(len(new), len(rows) - len(new), sorted(conflicts))

    def find(self, keys: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts under keys, in the order in which they came; unknown keys are left out."""
        rows = self._cypher.write(
            f"UNWIND $rows AS key MATCH (j:Judgment {{key: key}})-[:GIVEN_BY]->(g) {KEPT}", sorted(set(keys))
        )
        found: dict[str, list[Judgment]] = {}
        for row in map(_judgment, rows):
            found.setdefault(row.key, []).append(row)
        return found

    def of_statements(self, statements: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts on statements, by the statement's text, by key and number."""
        rows = self._cypher.write(
            f"""UNWIND $rows AS sha256 MATCH (j:Judgment {{statement_sha256: sha256}})-[:GIVEN_BY]->(g)
                WHERE j.statement IS NOT NULL {KEPT}""",
            sorted({content_hash(text) for text in statements}),
        )
        found: dict[str, list[Judgment]] = {}
        for row in sorted(map(_judgment, rows), key=lambda each: (each.key, each.number)):
            assert row.statement is not None
            found.setdefault(row.statement, []).append(row)
        return found

    def keys(self, *, after: str = "", limit: int) -> list[str]:
        """Judgment keys in order, a page of them."""
        rows = self._cypher.rows(
            "MATCH (j:Judgment) WHERE j.key > $after AND j.number = 1 RETURN j.key ORDER BY j.key LIMIT $limit",
            after=after, limit=limit,
        )  # fmt: skip
        return [key for (key,) in rows]

    def judges(self) -> list[tuple[JudgeId, int]]:
        """Who gave verdicts, and how many, by name, version and configuration."""
        rows = self._cypher.rows(
            """MATCH (g:Judge) WITH g, COUNT { (g)<-[:GIVEN_BY]-(:Judgment) } AS given WHERE given > 0
               RETURN g.name, g.version, g.configuration, given ORDER BY g.name, g.version, g.configuration"""
        )
        return [(JudgeId(name, version, configuration), count) for name, version, configuration, count in rows]

    def conflicts(self) -> list[str]:
        """Keys whose verdicts differ and of which none was chosen, in order."""
        rows = self._cypher.rows(
            """MATCH (j:Judgment) WHERE j.number = 2 AND NOT EXISTS { MATCH (:JudgmentChoice {key: j.key}) }
               RETURN j.key ORDER BY j.key"""
        )
        return [key for (key,) in rows]

    def choose(self, key: str, number: int, reason: str, by: str | None, seq: int, at: int) -> None:
        """A person decides which of a key's verdicts holds. The last word counts."""
        self._cypher.rows(
            """CREATE (:JudgmentChoice {key: $key, number: $number, reason: $reason, by: $by, seq: $seq, at: $at})""",
            key=key, number=number, reason=reason, by=by, seq=seq, at=at,
        )  # fmt: skip

    # how well judges do, and what scores were

    def put_calibration(self, row: Calibration, seq: int, at: int) -> None:
        """Keeps how a judge did on labelled examples."""
        self._cypher.rows(
            """MERGE (g:Judge {name: $name, version: $version, configuration: $configuration})
               CREATE (:Calibration {labels: $labels, seed: $seed, kappa: $kappa, body: $body, seq: $seq, at: $at})
                   -[:CALIBRATES]->(g)""",
            name=row.judge.name, version=row.judge.version, configuration=row.judge.configuration, labels=row.labels,
            seed=row.seed, kappa=row.kappa, body=row.body, seq=seq, at=at,
        )  # fmt: skip

    def calibrations(self, judge: JudgeId | None = None) -> list[Calibration]:
        """Those of a judge, or of all, in order of the sequence."""
        wanted = None if judge is None else [judge.name, judge.version, judge.configuration]
        rows = self._cypher.rows(
            """MATCH (g:Judge)<-[:CALIBRATES]-(c:Calibration)
               WHERE $judge IS NULL OR [g.name, g.version, g.configuration] = $judge
               RETURN g.name, g.version, g.configuration, c.labels, c.seed, c.kappa, c.body, c.seq, c.at
               ORDER BY c.seq""",
            judge=wanted,
        )
        return [Calibration(JudgeId(*row[:3]), *row[3:]) for row in rows]

    def put_score(self, answer: str, body: str, seq: int, at: int) -> None:
        """Keeps an answer's score (canonical JSON). It is never changed."""
        self._cypher.rows(
            """MATCH (n:LineageNode {id: $answer})
               CREATE (:Score {body: $body, seq: $seq, at: $at, n: $n})-[:SCORES]->(n)""",
            answer=answer, body=body, seq=seq, at=at, n=self._cypher.counter(),
        )  # fmt: skip

    def scores(self, answer: str) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the scores of an answer that were kept, in order."""
        rows = self._cypher.rows(
            """MATCH (:LineageNode {id: $answer})<-[:SCORES]-(s:Score) RETURN s.seq, s.at, s.body
               ORDER BY s.seq, s.n""",
            answer=answer,
        )
        return [(seq, at, body) for seq, at, body in rows]

    # what claims were split into

    def put_splittings(self, rows: Sequence[Splitting], seq: int, at: int) -> None:
        """Keeps what claims were split into, one splitting a claim. The claims are there."""
        listed = [
            {
                "claim": row.claim,
                "judge": [row.splitter.name, row.splitter.version, row.splitter.configuration],
                "kept": {"node": row.claim, "parts": _parts(row), "by": row.by},
            }
            for row in rows
        ]
        self._cypher.write(SPLIT, listed, seq=seq, at=at)

    def splittings(self, claims: Collection[str]) -> dict[str, list[Splitting]]:
        """What claims were split into, in order of the sequence; claims that were not are left out."""
        rows = self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[:SPLITS]-(s:Splitting)-[:SPLIT_BY]->(g)
               USING INDEX SEEK n:LineageNode(id)
               RETURN n.id, s.parts, g.name, g.version, g.configuration, s.by, s.seq, s.at ORDER BY n.id, s.seq""",
            sorted(set(claims)),
        )
        found: dict[str, list[Splitting]] = {}
        for claim, parts, name, version, configuration, *rest in rows:
            read = None if parts is None else tuple(json.loads(parts))
            splitter = JudgeId(name, version, configuration)
            found.setdefault(claim, []).append(Splitting(claim, read, splitter, *rest))
        return found


def _parts(row: Splitting) -> str:
    assert row.parts is not None  # only what was read back can have lost its parts
    return canonical_json(row.parts, item=row.claim)


def _judgment(row: list[Any]) -> Judgment:
    (
        key, number, statement, name, version, configuration, verdict, score, reason, latency, cut, by, seq, at, chosen,
        shown,
    ) = row  # fmt: skip
    return Judgment(
        key=key,
        statement=statement,
        passages=tuple(Shown(*each) for each in shown),
        judge=JudgeId(name, version, configuration),
        verdict=Verdict(verdict),
        score=score,
        reason=reason,
        latency=latency,
        cut=cut,
        by=by,
        number=number,
        chosen=bool(chosen),
        seq=seq,
        at=at,
    )
