"""A graph in memory that is as strict as a store about what importers send, and counts what is new.

What it says of each import, a store beside it has to say too.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow
import pyarrow.parquet
import pytest

from lineage_schema.errors import BadInput, Conflict, LineageError
from lineage_schema.identity import check_key, content_hash, key_text, node_id, run_id
from lineage_schema.records import Document, Node, NodeRef, SpanRef
from lineage_schema.vocabulary import MEANING_ATTRIBUTES


@dataclass
class Registered:
    written: Counter = field(default_factory=Counter)
    existed: Counter = field(default_factory=Counter)
    aliases: int = 0
    findings: tuple = ()


class MemoryRun:
    def __init__(self, graph, namespace, facts):
        self.graph = graph
        self.namespace = namespace
        self.facts = facts
        self.key = facts["key"]
        self.id = run_id(namespace, facts["key"])
        self.batches = []
        self.named = {}
        self.finished = None

    def register(self, records, /):
        result = Registered()
        names = {(record.namespace, record.kind, record.key) for record in records if isinstance(record, Node)}
        for record in records:
            if isinstance(record, Document):
                self.graph.add_document(record, result)
            else:
                self.graph.add_node(record, names, result, self.named)
        self.batches.append(list(records))
        return result

    def keep(self, findings):
        self.kept = list(findings)

    def finish(self, *, complete=False):
        self.finished = complete


class MemoryGraph:
    def __init__(self):
        self.versions = {}
        self.nodes = {}
        self.names = {}
        self.aliases = defaultdict(set)
        self.runs = []

    @contextmanager
    def run(self, namespace, /, **facts):
        run = MemoryRun(self, namespace, facts)
        self.runs.append(run)
        yield run

    def versions_with_hash(self, sha256, /):
        return [
            (*place, number)
            for place, texts in self.versions.items()
            for number, text in enumerate(texts, 1)
            if content_hash(text) == sha256
        ]

    def add_version(self, uri, text):
        self.versions.setdefault((uri, 1), []).append(text)

    def add_document(self, record, result):
        texts = self.versions.setdefault((record.uri, 1), [])
        if not texts:
            texts.append(record.text)
            result.written["document"] += 1
        elif texts[-1] == record.text:
            result.existed["document"] += 1
        else:
            raise Conflict(f"{record.uri} has another text", hint="correct it")

    def add_node(self, record, names, result, named):
        item = f"{record.kind}:{record.key}"
        key = check_key(record.key, item=item)
        assert set(record.attributes) <= set(MEANING_ATTRIBUTES[record.kind]), item
        for one in record.inputs:
            if isinstance(one.ref, SpanRef):
                edition, version, start, end = one.ref.edition, one.ref.version, one.ref.start, one.ref.end
                assert None not in (edition, version, start, end), item
                text = self.versions[one.ref.uri, edition][(version or 0) - 1]
                assert 0 <= (start or 0) < (end or 0) <= len(text)
                if text[start:end] != one.ref.quote:
                    raise BadInput(item, "quote", found=one.ref.quote, expected="the slice")
            else:
                assert isinstance(one.ref, NodeRef)
                known = (one.ref.namespace, one.ref.kind, one.ref.key)
                assert known in names or known in self.names, (item, known)
                assert known != (record.namespace, record.kind, record.key), item
        found = node_id(record.kind, record.namespace, key, content_hash(record.text), record.attributes)
        if found in self.nodes:
            result.existed[record.kind] += 1
        else:
            result.written[record.kind] += 1
        # The second would hide the first: a key names one node.
        assert named.setdefault((record.kind, key), found) == found, f"{item} names two nodes"
        self.names[record.namespace, record.kind, key] = found
        self.nodes[found] = record
        for alias in record.aliases:
            result.aliases += found not in self.aliases[alias]
            self.aliases[alias].add(found)

    # What tests ask

    def named(self, alias):
        (found,) = self.aliases[alias]
        return self.nodes[found]

    def of(self, kind):
        return [record for record in self.nodes.values() if record.kind == kind]

    def inputs(self, record, role=None):
        """(kind, key, origins) of a node's inputs, spans as their quote."""
        return [
            ("span", one.ref.quote, one.origins)
            if isinstance(one.ref, SpanRef)
            else (one.ref.kind, one.ref.key, one.origins)
            for one in record.inputs
            if role is None or one.role == role
        ]


class PairedRun:
    """A run of both: each batch does the same to them, or is refused by both for the same reason."""

    def __init__(self, run, beside):
        self.run = run
        self.beside = beside
        self.id = run.id
        assert beside.id == run.id

    def register(self, records, /):
        try:
            result = self.run.register(records)
        except LineageError as error:
            with pytest.raises(type(error)):
                self.beside.register(records)
            raise
        told = self.beside.register(records)
        # The graph in memory has no spans.
        del told.written["span"], told.existed["span"]
        assert (told.written, told.existed, told.aliases) == (result.written, result.existed, result.aliases)
        assert not told.findings
        return result

    def keep(self, findings):
        self.run.keep(findings)
        self.beside.keep(findings)

    def finish(self, *, complete=False):
        self.run.finish(complete=complete)
        self.beside.finish(complete=complete)


class PairedGraph(MemoryGraph):
    """A graph in memory, beside a store that is told the same."""

    def __init__(self, beside):
        super().__init__()
        self.beside = beside

    @contextmanager
    def run(self, namespace, /, **facts):
        with super().run(namespace, **facts) as run, self.beside.run(namespace, **facts) as beside:
            yield PairedRun(run, beside)
        for (namespace, kind, key), id_ in self.names.items():
            assert self.beside.resolve(f"{kind}:{namespace}/{key_text(key)}") == id_

    def versions_with_hash(self, sha256, /):
        found = super().versions_with_hash(sha256)
        assert sorted(self.beside.versions_with_hash(sha256)) == sorted(found)
        return found

    def add_version(self, uri, text):
        super().add_version(uri, text)
        if len(self.versions[uri, 1]) > 1:
            self.beside.correct({uri: text}, reason="a later version", force=True)
        else:
            self.beside.register([Document(uri=uri, text=text)])


@pytest.fixture
def graph(opening):
    with opening() as beside:
        yield PairedGraph(beside)


@pytest.fixture
def make_graph():
    return MemoryGraph


def write_csv(folder, tables):
    """CSV tables as GraphRAG writes them: lists as NumPy prints them, nothing for what is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow({column: _cell(value) for column, value in row.items()})
    return folder


def write_parquet(folder, tables):
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder


def _cell(value):
    if isinstance(value, list):
        return "[" + "\n ".join(map(repr, value)) + "]"
    return "" if value is None else value


def index_of(text="Alice met Bob in Rome. Bob went home.\n\nCarol wrote to Alice on Monday.\n"):
    """A GraphRAG 3 index of one document, with two units, a claim, two levels of communities and their reports."""
    middle = text.index("\n\n")
    units = [text[: middle + 2], text[middle + 2 :]]
    return {
        "documents": [
            {"id": "d1", "human_readable_id": 0, "title": "diary.txt", "text": text, "text_unit_ids": ["u1", "u2"]}
        ],
        "text_units": [
            {
                "id": "u1",
                "human_readable_id": 0,
                "text": units[0],
                "n_tokens": 12,
                "document_id": "d1",
                "entity_ids": ["e1", "e2"],
                "relationship_ids": ["r1"],
                "covariate_ids": ["c1"],
            },
            {
                "id": "u2",
                "human_readable_id": 1,
                "text": units[1],
                "n_tokens": 8,
                "document_id": "d1",
                "entity_ids": ["e1", "e3"],
                "relationship_ids": ["r2"],
                "covariate_ids": [],
            },
        ],
        "entities": [
            _entity("e1", 0, "ALICE", "Alice is a traveller.", ["u1", "u2"]),
            _entity("e2", 1, "BOB", "Bob lives somewhere.", ["u1"]),
            _entity("e3", 2, "CAROL", "Carol writes letters.", ["u2"]),
        ],
        "relationships": [
            _relationship("r1", 0, "ALICE", "BOB", "They met.", ["u1"]),
            _relationship("r2", 1, "CAROL", "ALICE", "Carol wrote to Alice.", ["u2"]),
        ],
        "covariates": [
            {
                "id": "c1",
                "human_readable_id": 0,
                "covariate_type": "claim",
                "type": "MEETING",
                "description": "Alice met Bob.",
                "subject_id": "ALICE",
                "object_id": "BOB",
                "status": "TRUE",
                "start_date": "NONE",
                "end_date": "NONE",
                "source_text": "Alice met Bob in Rome.",
                "text_unit_id": "u1",
            }
        ],
        "communities": [
            _community("m0", 0, 0, -1, [1], ["e1", "e2", "e3"], ["r1", "r2"], ["u1", "u2"]),
            _community("m1", 1, 1, 0, [], ["e1", "e2"], ["r1"], ["u1"]),
        ],
        "community_reports": [
            _report("p0", 0, 0, "Everybody", "All know each other [Data: Entities (0, 1, 2); Relationships (0)]."),
            _report("p1", 1, 1, "Alice and Bob", "They met once [Data: Relationships (0), Claims (0)]."),
        ],
    }


def _entity(id, number, title, description, units, type="PERSON"):
    return {
        "id": id,
        "human_readable_id": number,
        "title": title,
        "type": type,
        "description": description,
        "text_unit_ids": units,
        "frequency": len(units),
        "degree": 1,
    }


def _relationship(id, number, source, target, description, units):
    return {
        "id": id,
        "human_readable_id": number,
        "source": source,
        "target": target,
        "description": description,
        "weight": 1.5,
        "combined_degree": 2,
        "text_unit_ids": units,
    }


def _community(id, number, level, parent, children, entities, relationships, units):
    return {
        "id": id,
        "human_readable_id": number,
        "community": number,
        "level": level,
        "parent": parent,
        "children": children,
        "title": f"Community {number}",
        "entity_ids": entities,
        "relationship_ids": relationships,
        "text_unit_ids": units,
        "period": "2026-01-13",
        "size": len(entities),
    }


def _report(id, number, level, title, text):
    return {
        "id": id,
        "human_readable_id": number,
        "community": number,
        "level": level,
        "title": title,
        "full_content": text,
        "rank": 8.5,
        "rating_explanation": "It matters.",
    }


class Rows:
    """How tests make rows and files."""

    entity = staticmethod(_entity)
    relationship = staticmethod(_relationship)
    community = staticmethod(_community)
    report = staticmethod(_report)
    index = staticmethod(index_of)
    write_csv = staticmethod(write_csv)
    write_parquet = staticmethod(write_parquet)


@pytest.fixture
def rows():
    return Rows
