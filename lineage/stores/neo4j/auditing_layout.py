"""What the layout asks of a graph and a server does not keep by itself: types, ends, numbers of relationships.

A community server holds unique constraints alone. What foreign keys, ``not null`` and column types are in a table is
looked for here: a property that is missing or of another type, a relationship between wrong labels, one too many or
too few, a label that is not that of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lineage.stores.auditing import Finding
from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.migrations import APPLIED, STEPS
from lineage.stores.neo4j.model import EDGES, QUOTES, ROLE_CODE, TYPES, label
from lineage_schema.vocabulary import Role

S, N, B, LIST = "STRING NOT NULL", "INTEGER NOT NULL", "BOOLEAN NOT NULL", "LIST<STRING NOT NULL> NOT NULL"
TEXT, NUMBER, NUMBERS, FLAG = "STRING", "INTEGER", "LIST<INTEGER NOT NULL>", "BOOLEAN"
"""These may be missing."""

VERSION: Final = "x.uri + ' edition ' + x.edition + ' v' + x.number"
NODE: Final = "coalesce(x.kind + ':' + x.namespace + '/' + x.key, 'span') + ' (' + x.id + ')'"

ROWS: Final[tuple[tuple[str, str, str, dict[str, str]], ...]] = (
    ("LineageStore", "true", "'store'", {"sequence": N, "writes": N}),
    ("LineageNode", "NOT x:Span", NODE, {
        "id": S, "kind": S, "namespace": S, "key": S, "sha256": S, "run": S, "begin": N, "derived": B, "made": N,
        "lineage": N, "purged": B, "text": TEXT, "attributes": TEXT, "title": TEXT, "reason": TEXT, "details": TEXT,
        "unsettled": FLAG,
    }),
    ("Span", "true", NODE, {
        "id": S, "kind": S, "uri": S, "edition": N, "version": N, "start": N, "end": N, "purged": B,
    }),
    ("Answer", "true", NODE, {"question": S, "cache_key": TEXT, "at": N, "searched": LIST}),
    ("Claim", "true", NODE, {"label": TEXT, "needs_evidence": B}),
    ("Document", "true", "x.uri", {"uri": S, "title": TEXT, "url": TEXT, "media_type": S}),
    ("DocumentVersion", "true", VERSION, {
        "uri": S, "edition": N, "number": N, "id": S, "sha256": TEXT, "text": TEXT, "base": NUMBER,
        "source_edition": NUMBER, "source_number": NUMBER, "seq": N, "at": N, "purged": B, "current": B,
        "edition_seq": N,
    }),
    ("Statement", "true", "'statement ' + x.seq", {"seq": N, "n": N, "at": N, "body": S}),
    ("Run", "true", "x.namespace + '/' + x.key + ' (' + x.id + ')'", {
        "id": S, "key": S, "namespace": S, "producer": S, "body": S, "derived": B, "begin": N, "at": N, "complete": B,
        "kinds": LIST, "finished": NUMBER,
    }),
    ("Key", "true", "x.kind + ':' + x.namespace + '/' + x.key", {"kind": S, "namespace": S, "key": S}),
    ("Namespace", "true", "x.name", {"name": S}),
    ("Cause", "true", "x.id", {
        "id": S, "type": N, "seq": N, "at": N, "edition": B, "reason": TEXT, "by": TEXT,
    }),
    ("Decision", "true", "x.cause + ' at ' + x.node", {
        "cause": S, "node": S, "made": N, "kind": S, "severity": N, "inputs": S, "reason": S, "by": TEXT, "seq": N,
        "at": N,
    }),
    ("Event", "true", "x.seq + ' of ' + x.cause + ' at ' + x.node", {
        "seq": N, "at": N, "cause": S, "node": S, "was": N, "is_now": N, "resolution": TEXT,
    }),
    ("Making", "true", "x.run", {"run": S, "begin": N, "derived": B, "made": N, "lineage": N, "until": N}),
    ("Citation", "true", "x.number + ' of ' + x.claim + ' by ' + x.run", {
        "claim": S, "run": S, "number": N, "marker": TEXT, "marker_start": NUMBER, "marker_end": NUMBER,
        "target": TEXT, "version": NUMBER, "start": NUMBER, "end": NUMBER, "whole": B,
    }),
    ("Alias", "true", "x.alias", {"alias": S, "namespace": S}),
    ("Finding", "true", "x.place", {"kind": S, "place": S, "what": S}),
    ("Moment", "true", "toString(x.seq)", {"seq": N, "at": N}),
    ("Judgment", "true", "x.key", {
        "key": S, "number": N, "statement_sha256": S, "verdict": S, "cut": B, "seq": N, "at": N, "statement": TEXT,
        "reason": TEXT, "latency": NUMBER, "by": TEXT,
    }),
    ("Judge", "true", "x.name + '@' + x.version", {"name": S, "version": S, "configuration": S}),
    ("Passage", "true", "x.sha256 + ' of ' + x.source", {"sha256": S, "source": S, "text": TEXT}),
    ("JudgmentChoice", "true", "x.key", {"key": S, "number": N, "reason": S, "by": TEXT, "seq": N, "at": N}),
    ("Calibration", "true", "x.labels", {"labels": S, "seed": N, "body": S, "seq": N, "at": N, "kappa": NUMBER}),
    ("Score", "true", "toString(x.seq)", {"body": S, "seq": N, "at": N, "n": N}),
    ("Splitting", "true", "x.seq + ' of ' + x.node", {"node": S, "seq": N, "parts": TEXT, "by": TEXT, "at": N}),
)  # fmt: skip
"""Label, which of them, what one is called, and the types of its properties."""

EDGE: Final = {"role": N, "origins": N, "own": B, "since": N, "version": NUMBER, "ext": NUMBER}
LINKS: Final[tuple[tuple[str, str, str, dict[str, str]], ...]] = (
    (EDGES, "LineageNode", "LineageNode", EDGE),
    ("FORMERLY", "LineageNode", "LineageNode", EDGE | {"until": N, "run": S}),
    ("MARKS", "Cause", "LineageNode", {
        "severity": N, "since": N, "via": TEXT, "queue": NUMBER, "fell": FLAG, "resolution": TEXT, "readers": NUMBERS,
    }),
    ("MARKED", "Cause", "LineageNode", {"severity": N, "since": N, "until": N, "via": TEXT, "resolution": TEXT}),
    ("SEEDS", "Cause", "LineageNode", {
        "severity": N, "class": TEXT, "start": NUMBER, "end": NUMBER, "readers": NUMBERS,
    }),
    ("RECHECK", "Cause", "LineageNode", {}),
    ("CHANGED", "Correction", "Document", {
        "edition": N, "kind": S, "source": N, "target": N, "target_edition": N,
    }),
    ("NAMES", "Key", "LineageNode", {"first": N, "last": N}),
    ("CURRENT", "Key", "LineageNode", {}),
    ("RETIRED", "Run", "Key", {}),
    ("ASKED", "Run", "Answer", {"seq": N}),
    ("FOUND", "Run", "Finding", {}),
    ("IS_ALIAS_OF", "Alias", "LineageNode", {}),
    ("WAS_MADE", "LineageNode", "Making", {}),
    ("PRINTED_IN", "Citation", "Claim", {}),
    ("DECIDES_ON", "Decision", "LineageNode", {}),
    ("ANCHORED_IN", "Span", "DocumentVersion", {"start": N, "end": N}),
    ("VERSION_OF", "DocumentVersion", "Document", {}),
    ("SAID_OF", "Statement", "DocumentVersion", {}),
    ("READS", "Namespace", "Namespace", {}),
    ("DERIVES_FROM", "Namespace", "Document", {"seq": N}),
    ("GIVEN_BY", "Judgment", "Judge", {}),
    ("SHOWN", "Judgment", "Passage", {"place": N, "source": S}),
    ("CALIBRATES", "Calibration", "Judge", {}),
    ("SCORES", "Score", "Answer", {}),
    ("SPLITS", "Splitting", "Claim", {}),
    ("SPLIT_BY", "Splitting", "Judge", {}),
)  # fmt: skip
"""Type, label of its start, label of its end, and the types of its properties."""

SINGLE: Final = (
    ("Citation", "(x)-[:PRINTED_IN]->()"), ("Making", "(x)<-[:WAS_MADE]-()"), ("Statement", "(x)-[:SAID_OF]->()"),
    ("Decision", "(x)-[:DECIDES_ON]->()"), ("DocumentVersion", "(x)-[:VERSION_OF]->()"), ("Score", "(x)-[:SCORES]->()"),
    ("Finding", "(x)<-[:FOUND]-()"), ("Judgment", "(x)-[:GIVEN_BY]->()"), ("Calibration", "(x)-[:CALIBRATES]->()"),
    ("Splitting", "(x)-[:SPLITS]->()"), ("Splitting", "(x)-[:SPLIT_BY]->()"),
)  # fmt: skip
"""Labels of which each has one such relationship."""

CALLED: Final = {label_: name for label_, _, name, _ in ROWS}

ONCE: Final = f"""
MATCH (x:LineageNode) WHERE x.id > $low AND x.id <= $high
CALL (x) {{
    MATCH (x)<-[r:MARKS|SEEDS|RECHECK|NAMES|CURRENT|ASKED|IS_ALIAS_OF]-(y)
    WITH type(r) AS type, y, count(*) AS many WHERE many > 1 RETURN type, many
    UNION ALL
    MATCH (x)-[r:{EDGES}|ANCHORED_IN]->(y)
    WITH type(r) AS type, r.role AS role, y, count(*) AS many WHERE many > 1 RETURN type, many
    UNION ALL
    MATCH (x)-[r:FORMERLY]->(y)
    WITH type(r) AS type, r.role AS role, r.run AS run, r.since AS since, r.until AS until, y, count(*) AS many
    WHERE many > 1 RETURN type, many
}}
RETURN {NODE}, type, many
"""
"""What joins a node and another more than once."""

APART: Final = "MATCH (x)-[r:{type}]->(y) WITH x, y, {by} AS by, count(*) AS many WHERE many > 1 RETURN {name}, many"

LABELLED: Final = "MATCH (x:LineageNode) WITH x.kind AS kind, labels(x) AS labels, count(*) AS many RETURN kind, labels"
CAUSES: Final = """
MATCH (c:Cause) WITH c, ['Correction', 'Replacement', 'Incomplete'][c.type] AS wanted, labels(c) AS labels
WHERE wanted IS NULL OR size(labels) <> 2 OR NOT wanted IN labels RETURN c.id, labels, wanted
"""

DEFINED: Final = re.compile(r"^CREATE (CONSTRAINT|INDEX) (\w+)")


def layout(cypher: Cypher, pages: Iterator[tuple[str, str]]) -> Iterator[Finding]:
    """Where the graph is not laid out as :mod:`lineage.stores.neo4j.model` says."""
    yield from _schema(cypher)
    yield from _properties(cypher)
    yield from _ends(cypher)
    yield from _labels(cypher)
    for label_, pattern in SINGLE:
        for name, many in cypher.stream(
            f"""MATCH (x:{label_}) WITH x, COUNT {{ {pattern} }} AS many WHERE many <> 1
                RETURN coalesce({CALLED[label_]}, elementId(x)), many"""
        ):
            yield f"{label_} {name}", pattern, many, "one"
    for low, high in pages:
        for name, type_, many in cypher.rows(ONCE, low=low, high=high):
            yield name, type_, many, "one between the same two"
    for type_, by, start in (
        ("CHANGED", "r.edition", "Cause"), ("RETIRED", "0", "Run"), ("READS", "0", "Namespace"),
        ("DERIVES_FROM", "0", "Namespace"), ("VERSION_OF", "0", "DocumentVersion"),
    ):  # fmt: skip
        statement = APART.format(type=type_, by=by, name=CALLED[start]).replace("(x)", f"(x:{start})")
        for name, many in cypher.stream(statement):
            yield f"{start} {name}", type_, many, "one between the same two"


def _schema(cypher: Cypher) -> Iterator[Finding]:
    stores = cypher.one("MATCH (s:LineageStore) RETURN count(s)")
    if stores != 1:
        yield "LineageStore", "nodes", stores, 1
    done = {number: (name, checksum) for number, name, checksum in cypher.rows(APPLIED)}
    for step in STEPS:
        found = done.pop(step.number, None)
        for field, value, expected in zip(("name", "checksum"), found or (None, None), (step.name, step.checksum),
                                          strict=True):  # fmt: skip
            if value != expected:
                yield f"migration {step.number}", field, value, expected
    for number in done:
        yield f"migration {number}", "number", number, "a step that this program knows"
    held = {name for (name,) in cypher.rows("SHOW CONSTRAINTS YIELD name RETURN name")}
    online = {name: state for name, state in cypher.rows("SHOW INDEXES YIELD name, state RETURN name, state")}  # noqa: C416
    for step in STEPS:
        for statement in step.statements:
            made = DEFINED.match(statement)
            if made is None:
                continue
            what, name = made.groups()
            if what == "CONSTRAINT" and name not in held:
                yield f"constraint {name}", "name", None, "a constraint that the schema has"
            elif online.get(name) != "ONLINE":
                yield f"index {name}", "state", online.get(name), "ONLINE"


def _wrong(properties: dict[str, str], of: str) -> str:
    return "[each IN [" + ", ".join(
        f"CASE WHEN {of}.`{name}` IS :: {type_} THEN null ELSE ['{name}', toStringOrNull({of}.`{name}`), '{type_}'] END"
        for name, type_ in properties.items()
    ) + "] WHERE each IS NOT NULL]"  # fmt: skip


def _properties(cypher: Cypher) -> Iterator[Finding]:
    for label_, which, name, properties in ROWS:
        for item, wrong in cypher.stream(
            f"""MATCH (x:{label_}) WHERE {which} WITH x, {_wrong(properties, "x")} AS wrong WHERE size(wrong) > 0
                RETURN coalesce({name}, x.id, elementId(x)), wrong"""
        ):
            for field, found, expected in wrong:
                yield f"{label_} {item}", field, found, expected


def _ends(cypher: Cypher) -> Iterator[Finding]:
    for types, start, end, properties in LINKS:
        wrong = _wrong(properties, "r") if properties else "[]"
        for type_, name, other, labels, into, faults in cypher.stream(
            f"""MATCH (x)-[r:{types}]->(y) WITH x, y, r, {wrong} AS wrong
                WHERE NOT (x:{start} AND y:{end}) OR size(wrong) > 0
                RETURN type(r), coalesce(x.id, x.key, x.uri, x.name, x.alias, elementId(x)),
                    coalesce(y.id, y.key, y.uri, y.name, y.place, elementId(y)), labels(x), labels(y), wrong"""
        ):
            item = f"{type_} {name} → {other}"
            if start not in labels or end not in into:
                yield item, "labels", [labels, into], f"from {start} to {end}"
            for field, found, expected in faults:
                yield item, field, found, expected


def _labels(cypher: Cypher) -> Iterator[Finding]:
    for kind, labels in cypher.rows(LABELLED):
        wanted = sorted({"LineageNode", label(kind)}) if isinstance(kind, str) else None
        if sorted(labels) == wanted:
            continue
        for name in cypher.stream(
            f"MATCH (x:LineageNode) WHERE x.kind = $kind AND labels(x) = $labels RETURN coalesce({NODE}, x.id)",
            kind=kind,
            labels=labels,
        ):
            yield name[0], "labels, kind", labels, wanted
    for name, labels, wanted in cypher.rows(CAUSES):
        yield f"cause {name}", "labels, type", labels, ["Cause", wanted]
    codes = {TYPES[role]: ROLE_CODE[role.value] for role in Role} | {QUOTES: ROLE_CODE[Role.EVIDENCE.value]}
    for type_, code in codes.items():
        to_span = {QUOTES: "OR NOT d:Span", TYPES[Role.EVIDENCE]: "OR d:Span"}.get(type_, "")
        for src, dst, role in cypher.stream(
            f"""MATCH (s:LineageNode)-[e:{type_}]->(d:LineageNode) WHERE e.role <> $code {to_span}
                RETURN s.id, d.id, e.role""",
            code=code,
        ):
            yield f"{type_} {src} → {dst}", "role", role, f"{code}, and a span exactly where it is {QUOTES}"
