"""A GraphRAG index into a graph: what rests on what, what is found wrong, and what a second import writes."""

import copy
import random
from itertools import pairwise

import pytest

from lineage.importers import import_graphrag
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.identity import content_hash
from lineage_schema.vocabulary import Completeness, Origin, Role, RunMode


@pytest.fixture
def do(graph, rows, tmp_path):
    """Import ``tables`` into the graph (or another)."""
    counter = iter(range(100))

    def run(tables, into=None, **options):
        folder = rows.write_parquet(tmp_path / f"index{next(counter)}", tables)
        return import_graphrag(into or graph, folder, **{"namespace": "ns", **options})

    return run


def found(report, kind):
    return [(one.where, one.what) for one in report.findings if one.kind == kind]


def parts(graph, alias, role):
    """(kind, name, origins) of a node's inputs: a title where there is one, else the text."""
    return sorted(
        (
            one.ref.kind,
            graph.nodes[graph.names[one.ref.namespace, one.ref.kind, one.ref.key]].title or one.ref.key[0],
            one.origins,
        )
        for one in graph.named(alias).inputs
        if one.role == role and hasattr(one.ref, "kind")
    )


def spans(graph, alias):
    return [one.ref.quote for one in graph.named(alias).inputs if not hasattr(one.ref, "kind")]


# What rests on what


def test_the_whole_index(graph, rows, do):
    report = do(rows.index())
    assert report.read == {
        "document": 1,
        "chunk": 2,
        "entity": 3,
        "relationship": 2,
        "extracted_claim": 1,
        "community": 2,
        "report": 2,
    }
    assert report.written == report.read
    assert report.partial == 0
    assert report.findings == ()
    assert (report.located["exact"], sum(report.located.values())) == (2, 2)
    assert (report.quotes["exact"], sum(report.quotes.values())) == (1, 1)
    assert report.run == graph.runs[0].id
    assert graph.runs[0].finished is False


def test_the_report_as_json(rows, do):
    body = do(rows.index()).to_json()
    assert list(body) == [
        "pipeline",
        "namespace",
        "run",
        "read",
        "written",
        "existed",
        "aliases",
        "located",
        "quotes",
        "partial",
        "findings",
    ]
    ladder = ["exact", "ordered", "prefix", "edge", "whitespace", "letters", "multi", "unlocated"]
    assert list(body["located"]) == list(body["quotes"]) == ladder
    assert (body["pipeline"], body["namespace"], body["partial"]) == ("graphrag", "ns", 0)


def test_findings_as_json(rows, do):
    tables = rows.index()
    tables["relationships"][0]["target"] = "NOBODY"
    where, what = "relationship 0 (ALICE → NOBODY)", "its target 'NOBODY' names no entity"
    assert do(tables).to_json()["findings"] == [{"kind": "unknown_endpoint", "where": where, "what": what}]


def test_a_chunk_rests_on_its_span(graph, rows, do):
    tables = rows.index()
    do(tables)
    text = tables["text_units"][0]["text"]
    chunk = graph.named("u1")
    assert chunk.key == ("ns/diary.txt", content_hash(text), "1")
    assert chunk.text == text
    (one,) = chunk.inputs
    assert (one.ref.uri, one.ref.edition, one.ref.version) == ("ns/diary.txt", 1, 1)
    assert (one.ref.start, one.ref.end, one.ref.quote) == (0, len(text), text)
    assert (one.role, one.origins) == (Role.EVIDENCE, (Origin.LOCATED,))
    assert chunk.details == {"tokens": 12, "located": "exact"}
    assert graph.named("Sources (1)") is graph.named("u2")


# tteon/seocho #183: the last write wins, and an entity keeps one of its chunks
def test_an_entity_rests_on_all_its_units(graph, rows, do):
    do(rows.index())
    alice = graph.named("e1")
    assert (alice.key, alice.text, alice.attributes) == ("ALICE", "Alice is a traveller.", {"type": "PERSON"})
    assert alice.details == {"degree": 1, "frequency": 2}
    assert [(one.ref.key[2], one.role, one.origins) for one in alice.inputs] == [
        ("1", Role.EVIDENCE, (Origin.LISTED,)),
        ("1", Role.EVIDENCE, (Origin.LISTED,)),
    ]
    assert {one.ref.key for one in alice.inputs} == {graph.named("u1").key, graph.named("u2").key}
    assert graph.named("Entities (0)") is alice


def test_an_entity_that_lists_no_unit_rests_on_those_that_list_it(graph, rows, do):
    tables = rows.index()
    tables["entities"][1]["text_unit_ids"] = []
    report = do(tables)
    assert [one.ref.key for one in graph.named("e2").inputs] == [graph.named("u1").key]
    assert not found(report, "no_evidence")
    assert report.partial == 0


def test_an_entity_of_nothing_is_unknown_not_none(graph, rows, do):
    tables = rows.index()
    tables["entities"][1]["text_unit_ids"] = []
    tables["text_units"][0]["entity_ids"] = ["e1"]
    report = do(tables)
    assert graph.named("e2").lineage is Completeness.UNKNOWN
    assert found(report, "no_evidence") == [("entity 1 (BOB)", "it lists no text unit")]


# awslabs/graphrag-toolkit #533: keys of fields joined without a separator collide
def test_a_relationship_is_an_ordered_pair(graph, rows, do):
    tables = rows.index()
    pairs = [("HELLO", "WORLD"), ("HELL", "OWORLD"), ("WORLD", "HELLO")]
    tables["relationships"] = [rows.relationship(f"r{i}", i, *pair, "text", ["u1"]) for i, pair in enumerate(pairs)]
    do(tables)
    assert {record.key for record in graph.of("relationship")} == set(pairs)
    assert len(graph.of("relationship")) == 3


def test_a_relationship_rests_on_units_and_has_ends(graph, rows, do):
    do(rows.index())
    assert graph.named("r1").title == "ALICE → BOB"
    assert parts(graph, "r1", Role.EVIDENCE) == [("chunk", "ns/diary.txt", (Origin.LISTED,))]
    assert parts(graph, "r1", Role.ENDPOINT) == [
        ("entity", "ALICE", (Origin.LISTED,)),
        ("entity", "BOB", (Origin.LISTED,)),
    ]


def test_an_extracted_claim_rests_on_its_unit_and_its_quote(graph, rows, do):
    do(rows.index())
    claim = graph.named("Claims (0)")
    assert claim.attributes == {
        "subject": "ALICE",
        "object": "BOB",
        "type": "MEETING",
        "status": "TRUE",
        "start_date": "NONE",
        "end_date": "NONE",
    }
    unit = canonical_json(list(graph.named("u1").key))
    assert claim.key == ("ALICE", "BOB", "MEETING", unit, content_hash("Alice met Bob."))
    assert spans(graph, "c1") == ["Alice met Bob in Rome."]
    assert parts(graph, "c1", Role.EVIDENCE) == [("chunk", "ns/diary.txt", (Origin.LISTED,))]
    assert [name for _, name, _ in parts(graph, "c1", Role.ABOUT)] == ["ALICE", "BOB"]
    assert {one.origins for one in claim.inputs if not hasattr(one.ref, "kind")} == {(Origin.LOCATED,)}


def test_a_quote_is_looked_for_in_its_unit_only(graph, rows, do):
    tables = rows.index("Alice met Bob in Rome. She left.\n\nShe left. Alice came.\n")
    tables["covariates"][0]["source_text"] = "She left."
    tables["covariates"][0]["text_unit_id"] = "u2"
    report = do(tables)
    (one,) = [one.ref for one in graph.named("c1").inputs if not hasattr(one.ref, "kind")]
    assert (one.start, one.end) == (34, 43)
    assert report.quotes["exact"] == 1


def test_a_quote_with_two_places_or_none_is_a_finding(graph, rows, do):
    tables = rows.index("Yes. Alice met Bob. Yes.\n\nOther.")
    first = tables["covariates"][0]
    first["source_text"] = "Yes."
    tables["covariates"].append(
        {**first, "id": "c2", "human_readable_id": 1, "description": "B", "source_text": "Never."}
    )
    tables["covariates"].append(
        {**first, "id": "c3", "human_readable_id": 2, "description": "C", "source_text": "NONE"}
    )
    report = do(tables)
    assert found(report, "ambiguous_quote") == [
        ("extracted claim 0", "its source text stands at 2 places of its text unit")
    ]
    assert found(report, "unlocated_quote") == [("extracted claim 1", "its source text was not found in its text unit")]
    assert (spans(graph, "c1"), spans(graph, "c2"), spans(graph, "c3")) == ([], [], [])
    # The unit itself is still its evidence.
    assert graph.named("c1").lineage is Completeness.COMPLETE
    assert report.quotes["unlocated"] == 2


def test_a_report_rests_on_the_union(graph, rows, do):
    tables = rows.index()
    tables["communities"][0]["text_unit_ids"] = []
    do(tables)
    assert parts(graph, "p0", Role.EVIDENCE) == [
        ("entity", "ALICE", (Origin.CITED, Origin.VIA_ENTITY)),
        ("entity", "BOB", (Origin.CITED, Origin.VIA_ENTITY)),
        ("entity", "CAROL", (Origin.CITED, Origin.VIA_ENTITY)),
        ("extracted_claim", "MEETING", (Origin.VIA_ENTITY,)),
        ("relationship", "ALICE → BOB", (Origin.CITED, Origin.VIA_RELATIONSHIP)),
        ("relationship", "CAROL → ALICE", (Origin.VIA_RELATIONSHIP,)),
    ]
    assert parts(graph, "p0", Role.CHILD) == [("report", "Alice and Bob", (Origin.LISTED,))]
    assert parts(graph, "p0", Role.ABOUT) == [("community", "Community 0", (Origin.LISTED,))]
    assert ("chunk", "ns/diary.txt", (Origin.LISTED,)) in parts(graph, "p1", Role.EVIDENCE)
    assert ("extracted_claim", "MEETING", (Origin.CITED, Origin.VIA_ENTITY)) in parts(graph, "p1", Role.EVIDENCE)


def test_keys_of_communities_and_reports_are_their_members(graph, rows, do):
    do(rows.index())
    assert graph.named("m1").key == ("1", content_hash(canonical_json(["ALICE", "BOB"])))
    assert graph.named("p1").key == graph.named("m1").key
    assert (graph.named("m1").text, graph.named("m1").attributes) == ("", {"level": 1})
    assert graph.named("p1").text.startswith("They met once")
    assert graph.named("Reports (1)") is graph.named("p1")
    assert graph.named("p1").details == {"rank": 8.5, "rating_explanation": "It matters."}
    assert [kind for kind, _, _ in parts(graph, "m1", Role.MEMBER)] == ["entity", "entity", "relationship"]


# microsoft/graphrag #1850, #1988: a report from sub-reports has no trace
def test_a_report_whose_only_inputs_are_lower_reports(graph, rows, do):
    tables = rows.index()
    tables["communities"][0].update(entity_ids=[], relationship_ids=[], text_unit_ids=[])
    tables["community_reports"][0]["full_content"] = "Everybody is happy."
    do(tables)
    assert parts(graph, "p0", Role.EVIDENCE) == []
    assert parts(graph, "p0", Role.CHILD) == [("report", "Alice and Bob", (Origin.LISTED,))]
    assert graph.named("p0").lineage is Completeness.COMPLETE


def test_lower_reports_come_first(graph, rows, do):
    do(rows.index(), batch_size=1)
    order = [
        record.title
        for batch in graph.runs[0].batches
        for record in batch
        if record.type == "node" and record.kind == "report"
    ]
    assert order == ["Alice and Bob", "Everybody"]


# Citations


def test_cited_numbers_that_do_not_exist(rows, do):
    tables = rows.index()
    tables["community_reports"][0]["full_content"] = (
        "x [Data: Entities (9, 0), Sources (7); Reports (8)] [Data: Claims (5)]"
    )
    assert sorted(found(do(tables), "unknown_citation")) == [
        ("report 0", "Claims (5 at 59) do not exist"),
        ("report 0", "Entities (9 at 9) do not exist"),
        ("report 0", "Reports (8 at 39) do not exist"),
        ("report 0", "Sources (7 at 26) do not exist"),
    ]


def test_what_is_cited_outside_the_community_is_an_input_and_a_finding(graph, rows, do):
    tables = rows.index()
    tables["community_reports"][1]["full_content"] = "x [Data: Entities (2, 0); Relationships (1)] [Data: Entities (2)]"
    report = do(tables)
    assert found(report, "cited_outside") == [
        ("report 1", "Entities (2) are not of its community"),
        ("report 1", "Relationships (1) are not of its community"),
    ]
    assert ("entity", "CAROL", (Origin.CITED,)) in parts(graph, "p1", Role.EVIDENCE)
    assert graph.named("p1").lineage is Completeness.COMPLETE


# microsoft/graphrag #1871: Sources (n) is a row number, which is not the id
@pytest.mark.parametrize("base", [0, 1])
def test_sources_are_rows_of_the_text_units_table(graph, rows, do, base):
    tables = rows.index()
    for unit in tables["text_units"]:
        unit["human_readable_id"] += base
    tables["community_reports"][1]["full_content"] = "x [Data: Sources (1)]"
    do(tables)
    cited = [one.ref.key for one in graph.named("p1").inputs if Origin.CITED in one.origins]
    assert cited == [graph.named("u2").key]


def test_a_report_cites_lower_reports_only(graph, rows, do):
    tables = rows.index()
    tables["community_reports"][0]["full_content"] = "x [Data: Reports (1)]"
    tables["community_reports"][1]["full_content"] = "x [Data: Reports (0, 1)]"
    report = do(tables)
    assert parts(graph, "p0", Role.CHILD) == [("report", "Alice and Bob", (Origin.CITED, Origin.LISTED))]
    assert parts(graph, "p1", Role.CHILD) == []
    assert found(report, "cited_outside") == [("report 1", "Reports (0, 1) are not of its community")]


def test_more_is_partial_only_where_members_are_not_listed(graph, rows, do):
    tables = rows.index()
    tables["community_reports"][0]["full_content"] = "x [Data: Entities (0, +more)]"
    report = do(tables)
    assert found(report, "more_citations") == [
        ("report 0", "1 citation(s) end in '+more': what else was meant is not written")
    ]
    assert report.partial == 0


def test_unread_citations_are_findings(rows, do):
    tables = rows.index()
    tables["community_reports"][0]["full_content"] = "x [Data: General Knowledge (href)] [Data: Entities 4]"
    assert found(do(tables), "unread_citation") == [
        ("report 0", "at 35: 'Entities 4' in [Data: Entities 4]"),
        ("report 0", "at 9: 'General Knowledge (href)' names no row of a table"),
    ]


# Dangling references: findings, and partial lineage


@pytest.mark.parametrize(
    ("table", "row", "field", "value", "alias", "where"),
    [
        ("entities", 0, "text_unit_ids", ["u1", "gone"], "e1", "entity 0 (ALICE)"),
        ("relationships", 0, "text_unit_ids", ["gone"], "r1", "relationship 0 (ALICE → BOB)"),
        ("covariates", 0, "text_unit_id", "gone", "c1", "extracted claim 0"),
        ("communities", 1, "entity_ids", ["e1", "e2", "gone"], "p1", "community 1"),
        ("communities", 1, "relationship_ids", ["gone"], "p1", "community 1"),
        ("communities", 1, "text_unit_ids", ["gone"], "p1", "community 1"),
    ],
)
def test_an_id_that_names_nothing(graph, rows, do, table, row, field, value, alias, where):
    tables = rows.index()
    tables[table][row][field] = value
    report = do(tables)
    ((place, what),) = found(report, "dangling_id")
    assert place == where
    assert what.endswith(": gone")
    assert graph.named(alias).lineage is Completeness.PARTIAL
    assert "ids name no" in graph.named(alias).lineage_reason
    assert report.partial >= 1


@pytest.mark.parametrize(
    ("table", "field", "where"),
    [
        ("text_units", "entity_ids", "text unit 0 (u1)"),
        ("text_units", "relationship_ids", "text unit 0 (u1)"),
        ("text_units", "covariate_ids", "text unit 0 (u1)"),
        ("documents", "text_unit_ids", "document diary.txt"),
    ],
)
def test_an_id_that_names_nothing_in_a_list_that_no_lineage_is_read_from(rows, do, table, field, where):
    tables = rows.index()
    tables[table][0][field] = [*tables[table][0][field], "gone"]
    report = do(tables)
    assert [place for place, _ in found(report, "dangling_id")] == [where]
    assert report.partial == 0


def test_all_dangling_ids_are_named(rows, do):
    tables = rows.index()
    ids = [f"gone{i:03}" for i in range(200)]
    tables["entities"][0]["text_unit_ids"] = ids
    ((_, what),) = found(do(tables), "dangling_id")
    assert what == f"200 of 200 ids name no text unit: {', '.join(ids)}"


def test_a_unit_of_an_unknown_document(graph, rows, do):
    tables = rows.index()
    tables["text_units"][1]["document_id"] = "gone"
    report = do(tables)
    assert [place for place, _ in found(report, "dangling_id")] == ["text unit 1 (u2)"]
    chunk = graph.named("u2")
    assert (chunk.key[0], chunk.inputs, chunk.lineage) == ("ns", (), Completeness.PARTIAL)
    assert report.located["unlocated"] == 1


def test_a_unit_that_its_document_does_not_list(rows, do):
    tables = rows.index()
    tables["documents"][0]["text_unit_ids"] = ["u1"]
    assert found(do(tables), "not_listed") == [
        ("document diary.txt", "it does not list 1 of the 2 text units that name it: 1")
    ]


def test_a_unit_that_is_not_in_its_document(graph, rows, do):
    tables = rows.index()
    tables["text_units"][1]["text"] = "Something else entirely, not from here."
    report = do(tables)
    assert found(report, "unlocated") == [("text unit 1 (u2)", "its text was not found in ns/diary.txt")]
    chunk = graph.named("u2")
    assert (chunk.lineage, chunk.lineage_reason) == (Completeness.PARTIAL, "its text was not found in ns/diary.txt")
    assert report.partial == 1


def test_a_document_without_a_text(graph, rows, do):
    tables = rows.index()
    tables["documents"].append(
        {**tables["documents"][0], "id": "d2", "title": "b.txt", "text": None, "text_unit_ids": ["u2"]}
    )
    tables["text_units"][1]["document_id"] = "d2"
    tables["documents"][0]["text_unit_ids"] = ["u1"]
    report = do(tables)
    assert found(report, "no_text") == [("document b.txt", "its text is not there, so nothing is located in it")]
    assert graph.named("u2").lineage is Completeness.PARTIAL


def test_ends_and_subjects_that_name_no_entity(graph, rows, do):
    tables = rows.index()
    tables["relationships"][0]["source"] = "NOBODY"
    tables["covariates"][0].update(subject_id="NO ONE", object_id="NONE")
    report = do(tables)
    assert found(report, "unknown_endpoint") == [
        ("relationship 0 (NOBODY → BOB)", "its source 'NOBODY' names no entity")
    ]
    assert found(report, "unknown_subject") == [("extracted claim 0", "its subject 'NO ONE' names no entity")]
    assert found(report, "no_object") == [("extracted claims", "1 of 1 name no object")]
    # What states them is known all the same.
    assert report.partial == 0
    assert graph.named("c1").attributes["object"] == "NONE"


def test_a_claim_that_says_nothing(graph, rows, do):
    tables = rows.index()
    empty = dict.fromkeys(tables["covariates"][0])
    tables["covariates"].append({**empty, "id": "c2", "human_readable_id": 1, "subject_id": "", "text_unit_id": "u1"})
    report = do(tables)
    assert found(report, "empty_row") == [("extracted claim 1", "it says nothing: no description and no source text")]
    assert (report.read["extracted_claim"], report.written["extracted_claim"]) == (2, 1)


def test_a_claim_without_some_fields(graph, rows, do):
    tables = rows.index()
    tables["covariates"][0].update(object_id=None, type=None, status=None)
    do(tables)
    claim = graph.named("c1")
    assert claim.key[:3] == ("ALICE", "NONE", "NONE")
    assert set(claim.attributes) == {"subject", "start_date", "end_date"}


def test_a_report_without_a_community(graph, rows, do):
    tables = rows.index()
    tables["community_reports"].append(rows.report("p9", 9, 0, "Lost", "text [Data: Entities (1)]"))
    report = do(tables)
    assert found(report, "dangling_id") == [("report 9", "no community has the number 9")]
    lost = graph.named("p9")
    assert lost.lineage is Completeness.PARTIAL
    assert [one.origins for one in lost.inputs] == [(Origin.CITED,)]


def test_the_report_on_entities_in_no_community(graph, rows, do):
    tables = rows.index()
    tables["nodes"] = [
        {"id": f"e{i}", "title": title, "community": community, "level": 0}
        for i, title, community in ((1, "ALICE", 0), (2, "BOB", -1), (3, "CAROL", -1))
    ]
    tables["community_reports"].append(rows.report("p9", -1, 0, "Rest", "text [Data: Entities (2, +more)]"))
    report = do(tables)
    assert found(report, "no_community") == [
        ("report -1", "its report speaks of the entities that are in no community (2 at level 0)")
    ]
    assert [name for kind, name, _ in parts(graph, "p9", Role.EVIDENCE) if kind == "entity"] == ["BOB", "CAROL"]
    assert graph.named("p9").key == ("0", content_hash(canonical_json(["BOB", "CAROL"])))
    assert "its community has no row" in graph.named("p9").lineage_reason


def test_children_are_believed_by_their_parent(graph, rows, do):
    tables = rows.index()
    # An update shifts parents with the numbers, and leaves children as they were.
    tables["communities"].append(rows.community("m2", 2, 0, -1, [1], ["e3"], [], []))
    tables["community_reports"].append(rows.report("p2", 2, 0, "Carol", "text"))
    report = do(tables)
    assert found(report, "children_disagree") == [("community 2", "it lists 1 as a child, which names 0 as its parent")]
    assert parts(graph, "p2", Role.CHILD) == []
    assert len(parts(graph, "p0", Role.CHILD)) == 1


def test_a_child_that_is_not_deeper_makes_no_cycle(graph, rows, do):
    tables = rows.index()
    tables["communities"][1]["level"] = 0
    tables["community_reports"][1]["level"] = 0
    report = do(tables)
    assert [where for where, _ in found(report, "cycle")] == ["community 0"]
    assert parts(graph, "p0", Role.CHILD) == []


def test_children_that_are_not_there(rows, do):
    tables = rows.index()
    tables["communities"][0]["children"] = [1, 5]
    tables["communities"][1]["parent"] = 0
    del tables["community_reports"][1]
    report = do(tables)
    assert found(report, "dangling_id") == [("community 0", "its child 5 is no community")]
    assert found(report, "no_report") == [("report 0", "community 1 below has no report")]


def test_parents_of_version_1_have_no_children_column(graph, rows, do):
    tables = rows.index()
    for row in tables["communities"]:
        del row["children"]
    do(tables)
    assert parts(graph, "p0", Role.CHILD) == [("report", "Alice and Bob", (Origin.LISTED,))]


# microsoft/graphrag update


@pytest.fixture
def updated(rows):
    """An index after an update: ALICE and CAROL → ALICE were known; the delta brought DAN and its own community."""
    merged = rows.index()
    merged["entities"].append(rows.entity("e4", 3, "DAN", "Dan came.", ["u2"]))
    merged["relationships"].append(rows.relationship("r3", 2, "DAN", "ALICE", "Dan knows Alice.", ["u2"]))
    merged["communities"].append(rows.community("m2", 2, 0, -1, [], ["x1", "e4"], ["x2", "r3"], ["u2"]))
    text = "Dan came [Data: Entities (0, 1); Relationships (1)]. Carol wrote [Data: Relationships (0)]."
    merged["community_reports"].append(rows.report("p2", 2, 0, "Dan", text))
    delta = rows.index()
    delta["entities"] = [
        rows.entity("x1", 0, "ALICE", "Alice again.", ["u2"]),
        rows.entity("e4", 1, "DAN", "Dan came.", ["u2"]),
    ]
    delta["relationships"] = [
        rows.relationship("x2", 0, "CAROL", "ALICE", "Carol wrote.", ["u2"]),
        rows.relationship("r3", 1, "DAN", "ALICE", "Dan knows Alice.", ["u2"]),
    ]
    delta["communities"] = [rows.community("m2", 0, 0, -1, [], ["x1", "e4"], ["x2", "r3"], ["u2"])]
    delta["community_reports"] = [rows.report("p2", 0, 0, "Dan", text)]
    return merged, delta


# microsoft/graphrag #2540: after update, communities name discarded entity ids
@pytest.mark.parametrize("place", ["output/delta", "delta", "update_output/20260101-120000/delta"])
def test_discarded_ids_are_repaired_through_the_delta(graph, rows, tmp_path, updated, place):
    merged, delta = updated
    folder = rows.write_parquet(tmp_path / "output", merged)
    rows.write_parquet(tmp_path / place, delta)
    report = import_graphrag(graph, folder, namespace="ns")
    assert found(report, "discarded_id") == [
        ("community 2", "entity id x1 was discarded by an update; delta names it: 'ALICE'"),
        ("community 2", "relationship id x2 was discarded by an update; delta names it: 'CAROL → ALICE'"),
    ]
    assert not found(report, "dangling_id")
    assert [name for _, name, _ in parts(graph, "m2", Role.MEMBER)] == ["ALICE", "DAN", "CAROL → ALICE", "DAN → ALICE"]
    for alias in ("m2", "p2"):
        assert graph.named(alias).lineage is Completeness.PARTIAL
        assert "discarded by an update" in graph.named(alias).lineage_reason
    assert report.partial == 2
    # The text's numbers are the delta's: Entities (1) is DAN there, BOB in the merged table.
    cited = {name for kind, name, origins in parts(graph, "p2", Role.EVIDENCE) if Origin.CITED in origins}
    assert cited == {"ALICE", "DAN", "DAN → ALICE", "CAROL → ALICE"}
    assert [where for where, _ in found(report, "renumbered_citations")] == ["report 2"]
    assert not found(report, "cited_outside")


def test_discarded_ids_without_the_delta_stay_findings(graph, rows, do, updated):
    merged, _ = updated
    report = do(merged)
    assert found(report, "dangling_id") == [
        ("community 2", "1 of 2 ids name no entity: x1"),
        ("community 2", "1 of 2 ids name no relationship: x2"),
    ]
    assert graph.named("p2").lineage is Completeness.PARTIAL
    # Read against the merged tables its numbers would name BOB, so they are not read.
    assert [where for where, _ in found(report, "citations_not_read")] == ["report 2"]
    assert not any(Origin.CITED in origins for _, _, origins in parts(graph, "p2", Role.EVIDENCE))


def test_a_delta_of_another_index_repairs_nothing(graph, rows, tmp_path, updated):
    merged, delta = updated
    for row in delta["entities"]:
        row["id"] += "-other"
    for row in delta["relationships"]:
        row["id"] += "-other"
    delta["community_reports"][0]["id"] = "other"
    folder = rows.write_parquet(tmp_path / "output", merged)
    alone = import_graphrag(graph, folder, namespace="ns")
    rows.write_parquet(tmp_path / "delta", delta)
    report = import_graphrag(graph, folder, namespace="ns")
    # It is not among the files that were read, so this is the same run.
    assert report.run == alone.run
    assert not found(report, "discarded_id")
    assert len(found(report, "dangling_id")) == 2


def test_a_delta_itself_is_an_index(graph, rows, tmp_path, updated):
    report = import_graphrag(graph, rows.write_parquet(tmp_path / "delta", updated[1]), namespace="ns")
    assert report.written["report"] == 1
    assert not found(report, "renumbered_citations")


# Rows of one name


def test_entities_of_one_title_and_other_types_are_both_kept(graph, rows, do):
    tables = rows.index()
    tables["entities"].append(rows.entity("e4", 3, "ALICE", "A ship.", ["u2"], type="SHIP"))
    report = do(tables)
    assert graph.named("e1").key == ("ALICE", "PERSON")
    assert graph.named("e4").key == ("ALICE", "SHIP")
    assert found(report, "duplicate_key") == [
        ("entity ALICE", '2 rows of one name differ; kept as ["ALICE","PERSON"], ["ALICE","SHIP"]')
    ]
    # A title names both: an end is not decided here.
    assert [name for _, name, _ in parts(graph, "r1", Role.ENDPOINT)] == ["ALICE", "ALICE", "BOB"]


def test_rows_of_one_name_and_type_are_told_apart_by_what_they_say(graph, rows, do):
    tables = rows.index()
    tables["entities"].append(rows.entity("e4", 3, "ALICE", "Another Alice.", ["u2"]))
    tables["relationships"].append(rows.relationship("r3", 2, "ALICE", "BOB", "They quarrelled.", ["u2"]))
    tables["covariates"].append({**tables["covariates"][0], "id": "c2", "human_readable_id": 1, "status": "FALSE"})
    tables["community_reports"].append(rows.report("p3", 1, 1, "Again", "Another text."))
    report = do(tables)
    assert [where.split()[0] for where, _ in found(report, "duplicate_key")] == [
        "entity",
        "extracted_claim",
        "relationship",
        "report",
    ]
    for one, other in (("e1", "e4"), ("r1", "r3"), ("c1", "c2"), ("p1", "p3")):
        left, right = graph.named(one), graph.named(other)
        assert left.key != right.key
        assert all(left.key)
        assert all(right.key)
        assert (left.text, left.attributes) != (right.text, right.attributes)


def test_equal_rows_are_one_node_with_all_names_and_inputs(graph, rows, do):
    tables = rows.index()
    tables["entities"].append(rows.entity("e4", 3, "BOB", "Bob lives somewhere.", ["u2"]))
    report = do(tables)
    assert graph.named("e4") is graph.named("e2")
    assert graph.named("e4").key == "BOB"
    assert len(graph.named("e4").inputs) == 2
    assert found(report, "duplicate_row") == [("entity BOB", "2 rows are 1 node(s): entity 1 (BOB), entity 3 (BOB)")]


def test_communities_of_the_same_members(graph, rows, do):
    tables = rows.index()
    tables["communities"].append(rows.community("m2", 2, 1, 0, [], ["e2", "e1"], [], []))
    tables["community_reports"].append(rows.report("p2", 2, 1, "Bob and Alice", "Another text."))
    report = do(tables)
    assert [where.split()[0] for where, _ in found(report, "duplicate_key")] == ["community"]
    assert graph.named("m1").key != graph.named("m2").key
    assert graph.named("p2").key == graph.named("m2").key


def test_a_title_that_looks_like_an_array(graph, rows, do):
    tables = rows.index()
    tables["entities"][1]["title"] = tables["relationships"][0]["target"] = '["BOB"]'
    do(tables)
    assert graph.named("e2").key == ('["BOB"]',)
    assert len(parts(graph, "r1", Role.ENDPOINT)) == 2


def test_rows_without_a_name(rows, do):
    tables = rows.index()
    tables["entities"][1]["title"] = ""
    tables["relationships"][0]["target"] = None
    report = do(tables)
    assert found(report, "empty_row") == [
        ("entity 1 ()", "it has no title, so nothing can name it"),
        ("relationship 0 (ALICE → )", "an end has no title"),
    ]


# Text units that are equal


# nano-graphrag, LightRAG ≤ 1.4, GraphRAG 3: an equal chunk of two documents has one id
def test_one_id_in_two_documents(graph, rows, do):
    tables = rows.index("Legal notice.\n\nAlice met Bob.\n")
    shared = tables["text_units"][0]
    text = "Legal notice.\n\nSomething else.\n"
    tables["documents"].append(
        {**tables["documents"][0], "id": "d2", "title": "b.txt", "text": text, "text_unit_ids": ["u1"]}
    )
    tables["text_units"].append({**shared, "human_readable_id": 2, "document_id": "d2"})
    report = do(tables)
    chunks = [record for record in graph.of("chunk") if record.text == shared["text"]]
    assert sorted(record.key[0] for record in chunks) == ["ns/b.txt", "ns/diary.txt"]
    assert report.written["chunk"] == 3
    # Which of the two the entity was read from is not known: it rests on both.
    assert {one.ref.key[0] for one in graph.named("e2").inputs} == {"ns/b.txt", "ns/diary.txt"}


def test_equal_units_of_one_document_are_numbered_by_place(graph, rows, do, make_graph):
    text = "Refrain.\nFirst verse.\nRefrain.\nSecond verse.\nRefrain.\n"
    tables = rows.index()
    tables["documents"][0].update(text=text, text_unit_ids=[f"u{i}" for i in range(5)])
    cuts = [0, 9, 22, 31, 45, len(text)]
    base = tables["text_units"][0]
    tables["text_units"] = [
        {**base, "id": f"u{i}", "human_readable_id": i, "text": text[a:b]} for i, (a, b) in enumerate(pairwise(cuts))
    ]
    for row in tables["entities"]:
        row["text_unit_ids"] = ["u2"]
    do(tables)
    refrains = {i: graph.named(f"u{i}") for i in (0, 2, 4)}
    assert [record.key[2] for record in refrains.values()] == ["1", "2", "3"]
    assert [record.inputs[0].ref.start for record in refrains.values()] == [0, 22, 45]
    random.Random(3).shuffle(tables["text_units"])
    other = make_graph()
    do(tables, into=other)
    assert {one: record.key for one, record in graph.nodes.items()} == {
        one: record.key for one, record in other.nodes.items()
    }
    assert other.named("u2").key[2] == "2"


def test_units_are_told_apart_in_the_order_of_the_cuts_not_of_the_rows(graph, rows, do, make_graph):
    text = "Refrain.\nFirst verse.\nRefrain.\nSecond verse.\nRefrain.\n"
    tables = rows.index()
    tables["documents"][0].update(text=text, text_unit_ids=["u0", "u1", "u2"])
    base = tables["text_units"][0]
    tables["text_units"] = [
        {**base, "id": f"u{i}", "human_readable_id": i, "text": unit}
        for i, unit in enumerate(("First verse.\n", "Refrain.\n", "Second verse.\n"))
    ]
    for _ in range(3):
        tables["text_units"].append(tables["text_units"].pop(0))
        other = make_graph()
        do(tables, into=other)
        assert other.named("u1").inputs[0].ref.start == 22


def test_a_row_given_twice_is_one_chunk(graph, rows, do):
    tables = rows.index()
    tables["text_units"].append({**tables["text_units"][1], "id": "u9", "human_readable_id": 2})
    tables["documents"][0]["text_unit_ids"].append("u9")
    report = do(tables)
    assert graph.named("u9") is graph.named("u2")
    assert found(report, "duplicate_row") == [
        ("text unit 2 (u9)", "the same text at the same place as text unit 1 (u2)")
    ]
    assert (report.read["chunk"], report.written["chunk"]) == (3, 2)


def test_a_place_that_stays_ambiguous_is_partial_lineage(graph, rows, do):
    text = "The rent is due monthly. " * 200
    tables = rows.index()
    base = tables["text_units"][0]
    tables["documents"][0]["text"] = text
    tables["text_units"] = [
        {**base, "id": f"u{i}", "human_readable_id": i, "text": text[at : at + 650]}
        for i, at in enumerate(range(0, 4200, 600))
    ]
    report = do(tables)
    assert report.located["ordered"] == 7
    assert len(found(report, "ambiguous_place")) == 7
    assert [graph.named(f"u{i}").inputs[0].ref.start for i in range(7)] == sorted(
        graph.named(f"u{i}").inputs[0].ref.start for i in range(7)
    )
    assert graph.named("u1").lineage is Completeness.PARTIAL
    assert "stands at one of" in graph.named("u1").lineage_reason


def test_a_unit_of_two_documents(graph, rows, do):
    """Versions before 3 can join documents before they cut them."""
    tables = rows.index("First text ends here.\n\nx")
    second = "Second text begins here. It goes on."
    tables["documents"].append(
        {**tables["documents"][0], "id": "d2", "title": "b.txt", "text": second, "text_unit_ids": []}
    )
    for row in tables["text_units"]:
        row["document_ids"] = [row.pop("document_id")]
    tables["text_units"][0].update(text="ends here. x Second text begins here.", document_ids=["d1", "d2"])
    report = do(tables)
    assert report.located["whitespace"] == 1
    assert spans(graph, "u1") == ["Second text begins here.", "ends here.\n\nx"]
    assert graph.named("u1").key[0] == "ns/diary.txt"


# Which document it is


def test_a_document_that_is_known_by_its_text_is_that_document(graph, rows, do):
    tables = rows.index()
    text = tables["documents"][0]["text"]
    graph.add_version("files/diary.txt", text)
    report = do(tables)
    assert "document" not in report.written
    assert report.existed["document"] == 1
    assert graph.named("u1").key[0] == "files/diary.txt"


def test_the_latest_version_with_the_text_is_the_one_read(graph, rows, do):
    tables = rows.index()
    text = tables["documents"][0]["text"]
    for version in (text, "other", text, "another"):
        graph.add_version("files/diary.txt", version)
    do(tables)
    assert graph.named("u1").inputs[0].ref.version == 3


def test_several_documents_with_the_text_decide_nothing(graph, rows, do):
    tables = rows.index()
    for uri in ("a.txt", "b.txt"):
        graph.add_version(uri, tables["documents"][0]["text"])
    report = do(tables)
    assert graph.named("u1").key[0] == "ns/diary.txt"
    assert found(report, "same_text") == [("document diary.txt", "a.txt, b.txt have its text: kept as ns/diary.txt")]


def test_a_uri_given_for_a_title(graph, rows, do):
    do(rows.index(), documents={"diary.txt": "https://example.org/diary"})
    assert graph.named("u1").key[0] == "https://example.org/diary"


def test_a_uri_given_for_an_unknown_title_is_refused(graph, rows, do):
    with pytest.raises(BadInput, match=r"expected one of the titles diary\.txt"):
        do(rows.index(), documents={"dairy.txt": "x"})
    assert not graph.runs


def test_another_text_under_the_uri_stops_with_the_choices(graph, rows, do):
    graph.add_version("ns/diary.txt", "The registered text.")
    with pytest.raises(Conflict) as caught:
        do(rows.index())
    message = f"{caught.value.message} {caught.value.hint}"
    for choice in ("ns/diary.txt", "lineage correct URI FILE", "--kind edition", "--document TITLE=OTHER_URI"):
        assert choice in message
    assert graph.nodes == {}
    assert graph.versions["ns/diary.txt", 1] == ["The registered text."]


# LightRAG #3158: same file name in two folders refused
def test_two_documents_of_one_title(graph, rows, do):
    tables = rows.index()
    other = {**tables["documents"][0], "id": "d2", "text": "Another diary.", "text_unit_ids": ["u3"]}
    tables["documents"].append(other)
    tables["text_units"].append(
        {**tables["text_units"][0], "id": "u3", "human_readable_id": 2, "text": "Another diary.", "document_id": "d2"}
    )
    report = do(tables)
    uris = {graph.named("u1").key[0], graph.named("u3").key[0]}
    assert len(uris) == 2
    assert all(uri.startswith("ns/diary.txt~") for uri in uris)
    assert len(found(report, "same_title")) == 2
    assert report.written["document"] == 2
    again = do(tables)
    assert (again.written, again.aliases) == ({}, 0)


def test_one_uri_for_two_texts_is_refused(graph, rows, do):
    tables = rows.index()
    tables["documents"].append({**tables["documents"][0], "id": "d2", "title": "b.txt", "text": "Other."})
    with pytest.raises(BadInput, match="expected a uri for each"):
        do(tables, documents={"diary.txt": "u", "b.txt": "u"})


# The same again


def changed_ids(tables, seed):
    """A copy with another id for every row, all mentions of it changed, and all tables in another order."""
    tables = copy.deepcopy(tables)
    ids = {row["id"]: f"{seed}-{name}-{i}" for name, table in tables.items() for i, row in enumerate(table)}

    def other(value):
        if isinstance(value, list):
            return [other(member) for member in value]
        return ids.get(value, value) if isinstance(value, str) else value

    for table in tables.values():
        for row in table:
            row.update({column: other(value) for column, value in row.items()})
        random.Random(seed).shuffle(table)
    return tables


def test_the_same_files_again_write_nothing(graph, rows, do):
    tables = rows.index()
    first = do(tables)
    again = do(tables)
    assert (again.written, again.aliases) == ({}, 0)
    assert again.existed == first.written
    assert again.run == first.run


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_ids_and_another_order_write_only_names(graph, rows, do, seed):
    tables = rows.index()
    tables["community_reports"][1]["full_content"] = "x [Data: Sources (1), Entities (0)]"
    tables["entities"].append(rows.entity("e4", 3, "ALICE", "A ship.", ["u2"], type="SHIP"))
    tables["relationships"].append(rows.relationship("r3", 2, "ALICE", "BOB", "They quarrelled.", ["u2"]))
    tables["covariates"].append({**tables["covariates"][0], "id": "c2", "human_readable_id": 1, "status": "FALSE"})
    first = do(tables)
    before = {one: record.model_copy(update={"aliases": ()}) for one, record in graph.nodes.items()}
    again = do(changed_ids(tables, seed))
    assert again.written == {}
    assert again.aliases == sum(count for kind, count in first.written.items() if kind != "document")
    assert again.run != first.run
    assert {one: record.model_copy(update={"aliases": ()}) for one, record in graph.nodes.items()} == before


# microsoft/graphrag samples v0.3 / v0.5: two indexes share ids that name other entities
def test_equal_ids_never_join_what_they_name(graph, rows, do):
    tables = rows.index()
    do(tables)
    tables["entities"][0].update(title="ZOE", description="Zoe is someone else.")
    tables["relationships"] = tables["covariates"] = []
    tables = {name: table for name, table in tables.items() if table}
    do(tables, namespace="other")
    assert {graph.nodes[one].key for one in graph.aliases["e1"]} == {"ALICE", "ZOE"}
    assert {graph.nodes[one].namespace for one in graph.aliases["e1"]} == {"ns", "other"}
    do(tables)
    assert len(graph.aliases["e1"]) == 3


# The run


def test_the_run(graph, rows, tmp_path):
    folder = rows.write_parquet(tmp_path / "project" / "output", rows.index())
    settings = tmp_path / "project" / "settings.yaml"
    settings.write_text("completion_models:\n  default:\n    model: gpt-x\n")
    import_graphrag(graph, folder, namespace="ns")
    import_graphrag(graph, tmp_path / "project", namespace="ns", rebuilt=True)
    import_graphrag(graph, folder, namespace="ns", complete=True)
    first, second, third = graph.runs
    assert first.facts == {
        "producer": "graphrag",
        "key": first.key,
        "version": "3.x",
        "model": "gpt-x",
        "config_hash": content_hash(settings.read_text()),
        "mode": RunMode.IMPORTED,
        "rebuilt": False,
    }
    assert (second.facts["rebuilt"], second.finished) == (True, False)
    assert (third.facts["rebuilt"], third.finished) == (False, True)
    # Another meaning is another run.
    assert len({run.key for run in graph.runs}) == 3


def test_the_run_is_that_of_the_files(rows, do):
    tables = rows.index()
    first = do(tables).run
    tables["entities"][0]["description"] += " Changed."
    assert do(tables).run != first


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("llm:\n  api_key: x\n  model: gpt-4 # the best\n", "gpt-4"),
        ('embeddings:\n  llm:\n    model: text-embedding-3\nllm:\n  model: "gpt-4o"\n', "gpt-4o"),
        (
            "models:\n  default_embedding_model:\n    model: emb\n  default_chat_model:\n    model: 'gpt 4.1'\n",
            "gpt 4.1",
        ),
        ("# model: none\ncompletion_models:\n  m: {model: inline}\n", None),
        ("model:\n", None),
    ],
)
def test_the_model_in_the_settings(graph, rows, tmp_path, text, model):
    folder = rows.write_parquet(tmp_path / "output", rows.index())
    path = tmp_path / "other.yaml"
    path.write_text(text)
    report = import_graphrag(graph, folder, namespace="ns", settings=path)
    assert graph.runs[0].facts["model"] == model
    assert bool(found(report, "model_unknown")) == (model is None)


def test_settings_that_are_not_there_are_refused(graph, rows, tmp_path):
    folder = rows.write_parquet(tmp_path / "output", rows.index())
    with pytest.raises(BadInput, match=r"settings: expected a settings\.yaml"):
        import_graphrag(graph, folder, namespace="ns", settings=tmp_path / "no.yaml")


def test_batches_and_progress(graph, rows, do):
    steps = []
    report = do(rows.index(), batch_size=4, progress=lambda done, total: steps.append((done, total)))
    total = sum(report.written.values())
    assert steps == [(1, total), (5, total), (9, total), (13, total)]
    assert [len(batch) for batch in graph.runs[0].batches] == [1, 4, 4, 4]
    with pytest.raises(BadInput, match="batch_size"):
        do(rows.index(), batch_size=0)


def test_findings_of_the_store_are_in_the_report(graph, rows, do, monkeypatch):
    add = graph.add_node

    def with_finding(record, names, result, named):
        add(record, names, result, named)
        if record.kind == "report":
            result.findings = (*result.findings, type("F", (), {"kind": "store", "where": record.title, "what": "x"})())

    monkeypatch.setattr(graph, "add_node", with_finding)
    assert found(do(rows.index()), "store") == [("Alice and Bob", "x"), ("Everybody", "x")]


def test_a_cut_list_is_partial(graph, rows, tmp_path):
    tables = rows.index()
    folder = rows.write_csv(tmp_path, tables)
    for name in ("entities", "communities"):
        path = folder / f"{name}.csv"
        path.write_text(path.read_text().replace("['u1'\n 'u2']", "['u1' ... 'u2']"))
    report = import_graphrag(graph, folder, namespace="ns")
    assert len(found(report, "capped_list")) == 2
    for alias in ("e1", "m0", "p0"):
        assert graph.named(alias).lineage is Completeness.PARTIAL
        assert "was cut" in graph.named(alias).lineage_reason
