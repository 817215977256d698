"""Constraints and indexes, in numbered steps with checksums, in the database that the URL names."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import neo4j

from lineage.stores.neo4j import connection as connections
from lineage_schema.errors import Conflict, SchemaMismatch, StoreUnavailable


@dataclass(frozen=True, slots=True)
class Migration:
    """One step. It is never changed once it is out."""

    number: int
    name: str
    statements: tuple[str, ...]

    @property
    def checksum(self) -> str:
        """Of all statements."""
        return sha256("\n".join(self.statements).encode()).hexdigest()


STEPS: Final = (
    Migration(
        1,
        "graph",
        (
            "CREATE CONSTRAINT lineage_store IF NOT EXISTS FOR (s:LineageStore) REQUIRE s.id IS UNIQUE",
            "CREATE CONSTRAINT lineage_node IF NOT EXISTS FOR (n:LineageNode) REQUIRE n.id IS UNIQUE",
            "CREATE CONSTRAINT lineage_document IF NOT EXISTS FOR (d:Document) REQUIRE d.uri IS UNIQUE",
            "CREATE CONSTRAINT lineage_version IF NOT EXISTS FOR (v:DocumentVersion)"
            " REQUIRE (v.uri, v.edition, v.number) IS UNIQUE",
            "CREATE CONSTRAINT lineage_key IF NOT EXISTS FOR (k:Key) REQUIRE (k.key, k.kind, k.namespace) IS UNIQUE",
            "CREATE CONSTRAINT lineage_run IF NOT EXISTS FOR (r:Run) REQUIRE r.id IS UNIQUE",
            "CREATE CONSTRAINT lineage_cause IF NOT EXISTS FOR (c:Cause) REQUIRE c.id IS UNIQUE",
            "CREATE CONSTRAINT lineage_namespace IF NOT EXISTS FOR (s:Namespace) REQUIRE s.name IS UNIQUE",
            "CREATE INDEX lineage_version_text IF NOT EXISTS FOR (v:DocumentVersion) ON (v.sha256)",
            "CREATE INDEX lineage_alias IF NOT EXISTS FOR (a:Alias) ON (a.alias)",
            "CREATE INDEX lineage_cache_key IF NOT EXISTS FOR (a:Answer) ON (a.cache_key)",
            "CREATE INDEX lineage_run_key IF NOT EXISTS FOR (r:Run) ON (r.key)",
            "CREATE INDEX lineage_run_begin IF NOT EXISTS FOR (r:Run) ON (r.begin)",
            "CREATE INDEX lineage_key_kind IF NOT EXISTS FOR (k:Key) ON (k.namespace, k.kind)",
            "CREATE INDEX lineage_decision IF NOT EXISTS FOR (d:Decision) ON (d.node)",
            "CREATE INDEX lineage_moment IF NOT EXISTS FOR (m:Moment) ON (m.seq)",
            "CREATE INDEX lineage_event IF NOT EXISTS FOR (e:Event) ON (e.node)",
            "CREATE INDEX lineage_cause_type IF NOT EXISTS FOR (c:Cause) ON (c.type)",
            "CREATE INDEX lineage_queue IF NOT EXISTS FOR ()-[m:MARKS]-() ON (m.queue)",
            "CREATE INDEX lineage_incomplete IF NOT EXISTS FOR (n:LineageNode) ON (n.lineage)",
        ),
    ),
    Migration(
        2,
        "judgments",
        (
            "CREATE CONSTRAINT lineage_judgment IF NOT EXISTS FOR (j:Judgment) REQUIRE (j.key, j.number) IS UNIQUE",
            "CREATE CONSTRAINT lineage_judge IF NOT EXISTS FOR (g:Judge)"
            " REQUIRE (g.name, g.version, g.configuration) IS UNIQUE",
            "CREATE CONSTRAINT lineage_passage IF NOT EXISTS FOR (p:Passage) REQUIRE (p.source, p.sha256) IS UNIQUE",
            "CREATE INDEX lineage_statement IF NOT EXISTS FOR (j:Judgment) ON (j.statement_sha256)",
            "CREATE INDEX lineage_judgment_number IF NOT EXISTS FOR (j:Judgment) ON (j.number, j.key)",
            "CREATE INDEX lineage_choice IF NOT EXISTS FOR (c:JudgmentChoice) ON (c.key)",
        ),
    ),
    Migration(
        3,
        "adding",
        (
            "CREATE INDEX lineage_unsettled IF NOT EXISTS FOR (n:LineageNode) ON (n.unsettled)",
            "CREATE INDEX lineage_again IF NOT EXISTS FOR ()-[r:RECHECK]-() ON (r.waits)",
            "CREATE CONSTRAINT lineage_alias_unique IF NOT EXISTS FOR (a:Alias)"
            " REQUIRE (a.alias, a.namespace) IS UNIQUE",
        ),
    ),
    Migration(
        4,
        "splittings",
        ("CREATE CONSTRAINT lineage_splitting IF NOT EXISTS FOR (s:Splitting) REQUIRE (s.node, s.seq) IS UNIQUE",),
    ),
    Migration(
        5,
        "looking",
        (
            "CREATE INDEX lineage_run_namespace IF NOT EXISTS FOR (r:Run) ON (r.namespace)",
            "CREATE INDEX lineage_version_purged IF NOT EXISTS FOR (v:DocumentVersion) ON (v.purged)",
        ),
    ),
)
APPLIED: Final = "MATCH (m:LineageMigration) RETURN m.number, m.name, m.checksum ORDER BY m.number"
BEGIN: Final = """
MERGE (s:LineageStore {id: 'store'}) ON CREATE SET s.sequence = 0, s.writes = 0
MERGE (c:Cause {id: 'incomplete'}) ON CREATE SET c:Incomplete, c.type = 2, c.seq = 0, c.at = 0, c.edition = false
"""


MADE: Final = "MATCH (s:LineageStore {id: 'store'}) RETURN count(s) > 0"
EMPTY_LISTS: Final = (
    "MATCH (n:Answer) WHERE n.searched IS NULL WITH n LIMIT 20000 SET n.searched = [] RETURN count(n)",
    "MATCH (n:Run) WHERE n.kinds IS NULL WITH n LIMIT 20000 SET n.kinds = [] RETURN count(n)",
)
"""The import tool keeps no empty lists."""
INDEX_SECONDS: Final = 3600
"""Indexes of what was imported take a while."""


def imported(session: neo4j.Session) -> bool:
    """Whether the import tool filled the database with a store, which has no constraints and indexes yet."""
    return not applied(session) and bool(session.run(MADE).single(strict=True)[0])


def applied(session: neo4j.Session) -> dict[int, tuple[str, str]]:
    """The steps that the database has had: number → (name, checksum)."""
    return {number: (name, checksum) for number, name, checksum in (r.values() for r in session.run(APPLIED))}


def check(session: neo4j.Session, shown: str) -> None:
    """Raises :class:`StoreUnavailable` where there is no store, :class:`SchemaMismatch` where it is another."""
    connections.check_version(str(session.run("RETURN 1").consume().server.agent), shown)
    done = applied(session)
    if imported(session):
        raise SchemaMismatch(f"{shown} was filled by the import tool and has no indexes yet", hint="lineage migrate")
    if not done:
        raise StoreUnavailable(f"no store at {shown}", hint="create it with: lineage init")
    for step in STEPS:
        if step.number in done and done[step.number][1] != step.checksum:
            raise SchemaMismatch(f"migration {step.number:04}_{step.name} was applied with another content")
    newer = sorted(set(done) - {step.number for step in STEPS})
    if newer:
        raise SchemaMismatch(
            f"{shown} has schema {newer[-1]}, this program knows {STEPS[-1].number}", hint="use a newer program"
        )
    if len(done) < len(STEPS):
        raise SchemaMismatch(f"{shown} has schema {max(done)}, {STEPS[-1].number} is needed", hint="lineage migrate")


def upgrade(session: neo4j.Session, at: int) -> list[str]:
    """Runs the steps that are missing; returns their names."""
    if imported(session):
        for fill in EMPTY_LISTS:
            _until_none(session, fill)
    done = applied(session)
    names = []
    for step in STEPS:
        if step.number in done:
            continue
        for statement in step.statements:
            text: Any = statement
            session.run(text).consume()
        session.run("CALL db.awaitIndexes($seconds)", seconds=INDEX_SECONDS).consume()
        session.run(BEGIN).consume()
        session.run(
            "CREATE (:LineageMigration {number: $number, name: $name, checksum: $checksum, at: $at})",
            number=step.number, name=step.name, checksum=step.checksum, at=at,
        ).consume()  # fmt: skip
        names.append(f"{step.number:04}_{step.name}")
    return names


def _until_none(session: neo4j.Session, statement: str) -> None:
    text: Any = statement
    while session.run(text).single(strict=True)[0]:
        pass


def init(session: neo4j.Session, shown: str, at: int) -> list[str]:
    """Makes a store. Raises :class:`Conflict` where there is one."""
    connections.check_version(str(session.run("RETURN 1").consume().server.agent), shown)
    if applied(session):
        raise Conflict(f"there is a store at {shown}", hint="lineage migrate upgrades it")
    return upgrade(session, at)
