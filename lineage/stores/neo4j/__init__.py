"""The store on a Neo4j server."""

from lineage.stores.neo4j.store import Neo4jStore

__all__ = ["Neo4jStore"]
