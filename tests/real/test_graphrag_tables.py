"""GraphRAG's own sample indexes, four generations of them, and one that went through an update."""

import random
from collections import Counter

import pyarrow
import pyarrow.parquet
import pytest

from lineage.importers import import_graphrag
from lineage.importers.graphrag.citations import citations
from lineage.importers.graphrag.index import read_index
from lineage.importers.graphrag.records import drafts_of
from lineage.importers.graphrag.tables import find_folder, read_tables
from lineage.importers.locate import locate
from lineage.importers.report import Notes
from lineage.importers.source_text import SourceText
from lineage.importers.sources import Given, identify
from lineage_schema.errors import Conflict
from lineage_schema.vocabulary import Origin, Role

pytestmark = pytest.mark.real


@pytest.fixture
def graphrag(sample_data):
    return sample_data / "graphrag"


def read(folder):
    """The drafts of an index, and what was found."""
    notes = Notes()
    index = read_index(read_tables(find_folder(folder)), notes)
    given = [Given(row.id, row.title, row.text) for row in index.documents]
    sources = identify(given, namespace="ns", documents={}, versions=lambda sha256: (), notes=notes)
    return index, drafts_of(index, sources, "ns", notes), notes


def kinds(notes):
    return Counter(one.kind for one in notes.findings)


@pytest.mark.parametrize(
    ("sample", "shape", "located"),
    [
        ("verbs/v0.3.6", "0.1-0.4", {"exact": 42}),
        ("verbs/v0.5.0", "0.5-1.x", {"exact": 42}),
        ("verbs/v2.7.2", "2.x", {"exact": 42}),
        # GraphRAG v3: a prefix in each unit is not in the source.
        ("verbs/v3.1.2", "3.x", {"prefix": 42}),
        ("dulce/v3.1.2", "3.x", {"exact": 5}),
        ("synthetic_update_3.3.0/output_v0", "3.x", {"exact": 4}),
        ("synthetic_update_3.3.0/output_v1", "3.x", {"exact": 5}),
    ],
)
def test_all_text_units_are_located(graphrag, sample, shape, located):
    index, drafts, notes = read(graphrag / sample)
    assert index.shape == shape
    assert notes.located == located
    chunks = [draft for draft in drafts if draft.kind == "chunk"]
    assert len(chunks) == sum(located.values())
    for chunk in chunks:
        (span,) = [target for target, _ in chunk.inputs]
        assert chunk.text.endswith(span.quote)
        assert span.quote == next(d for d in index.documents if d.title in span.uri).text[span.start : span.end]


@pytest.mark.parametrize("table", ["text_units_metadata", "text_units_metadata_included_chunk"])
def test_units_with_prepended_metadata(graphrag, table):
    """Version 2 with `prepend_metadata`: one line before each unit."""
    folder = graphrag / "verbs" / "v2.7.2"
    units = pyarrow.parquet.read_table(folder / f"{table}.parquet").column("text").to_pylist()
    (text,) = pyarrow.parquet.read_table(folder / "documents.parquet").column("text").to_pylist()
    located = locate(SourceText(text), units)
    assert Counter(one.method for one in located) == {"prefix": 42}
    for unit, one in zip(units, located, strict=True):
        assert unit == "title: book.txt.\n" + text[slice(*one.spans[0])]


# The membership of communities, by which reports rest on more units than are listed.
@pytest.mark.parametrize(
    ("sample", "by_membership", "listed"),
    [("dulce/v3.1.2", 28, 24), ("verbs/v3.1.2", 599, 353), ("verbs/v2.7.2", 305, 183)],
)
def test_reports_rest_on_more_units_than_are_listed(graphrag, sample, by_membership, listed):
    _, drafts, _ = read(graphrag / sample)
    reports = [draft for draft in drafts if draft.kind == "report"]

    def units(draft):
        return {
            target for target, role in draft.inputs if role is Role.EVIDENCE and getattr(target, "kind", "") == "chunk"
        }

    members = sum(
        len(
            set().union(
                *(
                    units(target)
                    for (target, _), origins in report.inputs.items()
                    if origins & {Origin.VIA_ENTITY, Origin.VIA_RELATIONSHIP}
                    and target.kind in ("entity", "relationship")
                )
            )
        )
        for report in reports
    )
    assert members == by_membership
    assert sum(len(units(report)) for report in reports) == listed


def test_names_that_name_nothing(graphrag):
    index, _, notes = read(graphrag / "verbs" / "v3.1.2")
    found = kinds(notes)
    assert found["unknown_subject"] == 71
    assert len(index.covariates) == 406
    ends = Counter(one.what.split()[1] for one in notes.findings if one.kind == "unknown_endpoint")
    assert ends == {"source": 46, "target": 38}
    assert "dangling_id" not in found


def test_citations_of_reports(graphrag):
    index, _, notes = read(graphrag / "verbs" / "v3.1.2")
    read_citations = [one for report in index.reports for one in citations(report.text)]
    assert len(read_citations) == 855
    assert not any(one.unread for one in read_citations)
    assert sum(group.more for one in read_citations for group in one.groups) == 142
    entities = {row.number for row in index.entities}
    cited = [i for one in read_citations for group in one.groups if group.dataset == "Entities" for i in group.ids]
    assert (len(cited), sum(i not in entities for i in cited)) == (1774 + 20 + 9, 9)
    unknown = [one.what for one in notes.findings if one.kind == "unknown_citation"]
    assert sum(what.count(" at ") for what in unknown) == 9
    assert kinds(notes)["unread_citation"] == 0


def test_every_report_of_every_sample_is_read(graphrag):
    for sample in ("verbs/v0.3.6", "verbs/v0.5.0", "verbs/v2.7.2", "verbs/v3.1.2", "dulce/v3.1.2"):
        index, _, notes = read(graphrag / sample)
        assert all(citations(report.text) for report in index.reports), sample
        assert kinds(notes)["unread_citation"] == 0, sample


# microsoft/graphrag samples: tables of mixed runs, whose ids dangle
def test_mixed_runs(graphrag):
    _, drafts, notes = read(graphrag / "verbs" / "v0.3.6")
    dangling = [one for one in notes.findings if one.kind == "dangling_id"]
    missing = sum(int(one.what.split()[0]) for one in dangling if "name no entity" in one.what)
    # Each id once a unit.
    assert missing == 1401
    assert sum("name no relationship" in one.what for one in dangling) == 37
    assert all(len(one.what.split(": ", 1)[1].split(", ")) == int(one.what.split()[0]) for one in dangling)
    assert len([draft for draft in drafts if draft.kind == "entity"]) == 261
    partial = [draft for draft in drafts if draft.reasons]
    assert {draft.kind for draft in partial} == {"community"}


def test_the_report_on_entities_in_no_community(graphrag):
    _, drafts, notes = read(graphrag / "verbs" / "v0.5.0")
    assert kinds(notes)["no_community"] == 1
    (report,) = [draft for draft in drafts if draft.kind == "report" and draft.where == "report -1"]
    entities = [
        target
        for (target, _), origins in report.inputs.items()
        if Origin.VIA_ENTITY in origins and target.kind == "entity"
    ]
    assert len(entities) == 62
    assert report.reasons == ["its community has no row, so its relationships and text units are not known"]


# microsoft/graphrag #2540: after update, communities name discarded entity ids
def test_an_updated_index_is_repaired_through_its_delta(graphrag, graph):
    report = import_graphrag(graph, graphrag / "synthetic_update_3.3.0" / "output_v1", namespace="harbour")
    found = {(one.kind, one.where) for one in report.findings}
    discarded = [one.what for one in report.findings if one.kind == "discarded_id"]
    assert [what.split("'")[1] for what in sorted(discarded)] == ["HARBOR ESTATES", "PORT AUTHORITY"]
    assert ("renumbered_citations", "report 3") in found
    assert not any(kind == "dangling_id" for kind, _ in found)
    # The text's numbers are the delta's, and all of its community; two others cite wrongly from the start.
    assert {one for one in found if one[0] == "cited_outside"} == {
        ("cited_outside", "report 0"),
        ("cited_outside", "report 2"),
    }
    assert report.partial == 2
    view = graph.node("Reports (3)")
    assert view.lineage == "partial"
    # Where nothing was updated, the delta beside it changes nothing.
    before = import_graphrag(graph, graphrag / "synthetic_update_3.3.0" / "output_v0", namespace="before")
    assert {one.kind for one in before.findings} == {"cited_outside"}
    assert before.partial == 0


# microsoft/graphrag update: old reports stay with the same id and text; an import is not a rebuild
@pytest.mark.parametrize("rebuilt", [False, True])
def test_importing_an_updated_index_closes_nothing(graphrag, graph, rebuilt):
    folder = graphrag / "synthetic_update_3.3.0"
    import_graphrag(graph, folder / "output_v0", namespace="harbour")
    cited = graph.node("Reports (0)")
    graph.register(
        [
            {
                "type": "answer",
                "namespace": "harbour",
                "key": "A",
                "question": "Who signed?",
                "text": "Alice Meyer [1].",
            },
            {"type": "claim", "answer": {"namespace": "harbour", "key": "A"}, "ordinal": 1, "text": "Alice Meyer."},
            {
                "type": "citation",
                "claim": {"answer": {"namespace": "harbour", "key": "A"}, "ordinal": 1},
                "order": 1,
                "marker": "[1]",
                "target": cited.id,
            },
        ]
    )
    assert graph.check("A").status == "fresh"
    graph.correct({"harbour/lease.txt": (folder / "input_v1" / "lease.txt").read_text()}, reason="the rent was raised")
    assert graph.check("A").status == "stale"
    # The update read neither the edited lease nor wrote the report anew, whatever the import is told.
    report = import_graphrag(graph, folder / "output_v1", namespace="harbour", rebuilt=rebuilt)
    assert report.existed["report"] == 3
    graph.propagate()
    assert graph.check("A").status == "stale"


def test_the_model_is_read_from_the_settings_beside(graphrag, graph):
    import_graphrag(graph, graphrag / "synthetic_update_3.3.0" / "output_v0", namespace="ns")
    assert '"model":"gpt-4o"' in graph.store.read(lambda tx: tx.graph.run_body(graph.node("Reports (0)").run))


def test_csv_and_parquet_make_the_same_nodes(graphrag, graph):
    first = import_graphrag(graph, graphrag / "verbs" / "v3.1.2", namespace="carol")
    again = import_graphrag(graph, graphrag / "verbs" / "v3.1.2", namespace="carol", format="csv")
    assert again.run != first.run
    assert (again.written, again.aliases) == ({}, 0)
    assert again.findings == first.findings


# Ids and order


def altered(source, folder, seed):
    """A copy of an index with another id for every row, all lists of them changed, and every table in another order."""
    rng = random.Random(seed)
    tables = {path.name: pyarrow.parquet.read_table(path) for path in source.glob("*.parquet")}
    ids: dict[str, str] = {}
    for name, table in sorted(tables.items()):
        # Before 0.4 a community's id is its number.
        if "id" in table.column_names and not ("communities" in name and "community" not in table.column_names):
            for value in table.column("id").to_pylist():
                ids.setdefault(value, f"{rng.getrandbits(128):032x}")

    def other(value):
        if isinstance(value, list):
            return [other(member) for member in value]
        if not isinstance(value, str) or len(value) > 100_000:
            return value
        return ",".join(ids.get(part, part) for part in value.split(",")) if value.count(",") < 100 else value

    folder.mkdir()
    for name, table in tables.items():
        rows = [
            {column: other(value) if column.endswith(("id", "ids")) else value for column, value in row.items()}
            for row in table.to_pylist()
        ]
        rng.shuffle(rows)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=table.schema), folder / name)
    return folder


def stored(graph, path):
    """How many nodes and edges the store holds, those of earlier derivations included."""
    counts = graph.dump(path).counts
    return {row: counts[row] for row in ("node", "edge", "past_edge", "making", "mark", "past_mark", "version", "span")}


@pytest.mark.parametrize(
    "sample", ["dulce/v3.1.2", "verbs/v3.1.2", "verbs/v2.7.2", "verbs/v0.5.0", "synthetic_update_3.3.0/output_v0"]
)
def test_other_ids_and_another_order_write_only_names(graphrag, graph, tmp_path, sample):
    first = import_graphrag(graph, graphrag / sample, namespace="ns")
    size = stored(graph, tmp_path / "dump")
    again = import_graphrag(graph, graphrag / sample, namespace="ns")
    assert (again.written, again.aliases, again.run) == ({}, 0, first.run)
    copy = import_graphrag(graph, altered(graphrag / sample, tmp_path / "copy", 7), namespace="ns")
    assert copy.written == {}
    assert copy.aliases > 0
    assert copy.run != first.run
    assert stored(graph, tmp_path / "dump") == size
    assert Counter(one.kind for one in copy.findings) == Counter(one.kind for one in first.findings)


# Documents


def test_another_text_than_the_registered_one_stops_with_the_choices(graphrag, graph):
    folder = graphrag / "synthetic_update_3.3.0"
    edited = (folder / "input_v1" / "lease.txt").read_text(encoding="utf-8")
    graph.register([{"type": "document", "uri": "harbour/lease.txt", "text": edited}])
    with pytest.raises(Conflict) as caught:
        import_graphrag(graph, folder / "output_v0", namespace="harbour")
    for word in ("harbour/lease.txt", "lineage correct", "--kind edition", "--document TITLE=OTHER_URI"):
        assert word in f"{caught.value.message} {caught.value.hint}"
    assert not graph.find("Harbor")
    mapped = import_graphrag(graph, folder / "output_v0", namespace="harbour", documents={"lease.txt": "old/lease.txt"})
    assert mapped.written["document"] == 2


def test_a_document_that_was_added_before_is_recognised(graphrag, graph):
    text = (graphrag / "dulce" / "dulce.txt").read_bytes().decode()
    graph.register([{"type": "document", "uri": "files/dulce.txt", "text": text}])
    report = import_graphrag(graph, graphrag / "dulce" / "v3.1.2", namespace="dulce")
    assert (report.written.get("document"), report.existed["document"]) == (None, 1)
