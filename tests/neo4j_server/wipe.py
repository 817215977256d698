"""Makes a database as empty as a new one."""

from __future__ import annotations

from typing import LiteralString

from neo4j import Driver, ManagedTransaction, Session, unit_of_work

BATCH = 10_000
# A test that leaves a transaction open must not stop all later ones without a word.
SECONDS = 60

# Relationships go first: one node may have more of them than a transaction can hold.
_RELATIONSHIPS: LiteralString = "MATCH ()-[r]->() WITH r LIMIT $batch DELETE r RETURN count(*) AS deleted"
_NODES: LiteralString = "MATCH (n) WITH n LIMIT $batch DELETE n RETURN count(*) AS deleted"
_CONSTRAINTS: LiteralString = "SHOW CONSTRAINTS YIELD name RETURN name"
# Lookup indexes are part of a new database: without them every search for a label would read all nodes.
_INDEXES: LiteralString = (
    "SHOW INDEXES YIELD name, type, owningConstraint WHERE type <> 'LOOKUP' AND owningConstraint IS NULL RETURN name"
)
_DROP_CONSTRAINT: LiteralString = "DROP CONSTRAINT $name IF EXISTS"
_DROP_INDEX: LiteralString = "DROP INDEX $name IF EXISTS"


def wipe(driver: Driver, database: str) -> None:
    """Deletes constraints, indexes, relationships and nodes. Names of labels and keys stay, as nothing removes them."""
    with driver.session(database=database) as session:
        # The schema first: deleting from an index costs more than dropping it.
        for listing, drop in ((_CONSTRAINTS, _DROP_CONSTRAINT), (_INDEXES, _DROP_INDEX)):
            for name in session.execute_read(_names, listing):
                session.execute_write(_drop, drop, name)
        _delete(session, _RELATIONSHIPS)
        _delete(session, _NODES)


def _delete(session: Session, statement: LiteralString) -> None:
    while session.execute_write(_deleted, statement):
        pass


@unit_of_work(timeout=SECONDS)
def _names(transaction: ManagedTransaction, listing: LiteralString) -> list[str]:
    return [record["name"] for record in transaction.run(listing)]


@unit_of_work(timeout=SECONDS)
def _drop(transaction: ManagedTransaction, statement: LiteralString, name: str) -> None:
    transaction.run(statement, name=name).consume()


@unit_of_work(timeout=SECONDS)
def _deleted(transaction: ManagedTransaction, statement: LiteralString) -> int:
    record = transaction.run(statement, batch=BATCH).single(strict=True)
    return int(record["deleted"])
