"""The shipped answers over the shipped indexes, as the importers read them: what the correction reaches."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from lineage.demo import files
from lineage.demo.tree import DRIFTED
from lineage.importers import import_graphrag, import_raptor
from lineage_schema.identity import content_hash, key_text
from lineage_schema.records import RECORD

PAGES = {path.name: path.read_bytes().decode("utf-8") for path in files.handbook()}
STRUCTURAL = {"endpoint", "member", "about"}
INVALID, REVIEW, NONE = 2, 1, 0


class Collected:
    """What an import registers, in a graph that already has the handbook."""

    def __init__(self) -> None:
        self.records: list[Any] = []
        self.written: dict[str, int] = {}
        self.existed: dict[str, int] = {}
        self.aliases = 0
        self.findings: tuple[Any, ...] = ()
        self.id = "r1:test"

    def run(self, namespace: str, **facts: Any) -> Any:
        return nullcontext(self)

    def register(self, records: Sequence[Any]) -> Any:
        self.records.extend(records)
        return self

    def keep(self, findings: object) -> None:
        pass

    def finish(self, *, complete: bool = False) -> None:
        pass

    def versions_with_hash(self, sha256: str) -> list[tuple[str, int, int]]:
        return [(uri, 1, 1) for uri, text in PAGES.items() if content_hash(text) == sha256]


def name(ref: Any) -> Any:
    if ref.get("uri"):
        return ref["uri"], ref["start"], ref["end"]
    key = ref["key"]
    return ref["kind"], ref["namespace"], key if isinstance(key, str) else key_text(tuple(key))


@pytest.fixture(scope="module")
def imported():
    graph, tree = Collected(), Collected()
    reports = (
        import_graphrag(graph, files.graphrag(), namespace=files.GRAPHRAG_NAMESPACE),
        import_raptor(tree, files.raptor(), namespace=files.RAPTOR_NAMESPACE, sources=files.raptor_sources()),
    )
    return reports, [record.model_dump(mode="json") for record in (*graph.records, *tree.records)]


@pytest.fixture(scope="module")
def edges(imported):
    """For each node, claim and answer, its inputs and their roles."""
    _, nodes = imported
    found: dict[Any, list[tuple[Any, str]]] = {
        name(node): [(name(one["ref"]), one["role"]) for one in node["inputs"]] for node in nodes
    }
    for line in files.answers().read_bytes().splitlines():
        form = RECORD.validate_json(line).model_dump(mode="json")
        if form["type"] == "answer":
            found["answer", form["key"]] = []
        elif form["type"] == "claim":
            claim = ("claim", form["answer"]["key"], form["label"])
            found[claim] = []
            found["answer", form["answer"]["key"]].append((claim, "claim"))
        elif form["type"] == "citation" and form["target"]:
            claim = ("claim", form["claim"]["answer"]["key"], form["claim"]["label"])
            found[claim].append((name(form["target"]), "cites"))
        elif form["type"] == "retrieved":
            found["answer", form["answer"]["key"]].append((name(form["target"]), "retrieved"))
    return found


def severity(node: Any, edges: dict[Any, list[tuple[Any, str]]]) -> int:
    if node in edges:
        passed = [(severity(below, edges), role) for below, role in edges[node] if role not in STRUCTURAL]
        return max((min(worst, REVIEW) if role == "retrieved" else worst for worst, role in passed), default=NONE)
    uri, start, end = node
    correction = files.correction()
    if uri != correction.uri:
        return NONE
    changed = PAGES[uri].index(correction.old)
    after = PAGES[uri].index(".", changed) + 1
    next_sentence = PAGES[uri].index(".", after) + 1
    if start <= changed < end:
        return INVALID
    return REVIEW if after <= start < next_sentence else NONE


def test_everything_is_imported_located_and_complete(imported):
    (graph, tree), nodes = imported
    assert all(node["lineage"] == "complete" for node in nodes)
    assert not any(node["type"] == "document" for node in nodes)
    assert graph.located["exact"] == 19
    assert graph.quotes["exact"] == 7
    assert tree.located["exact"] == 9
    # As in real indexes: a report that cites beyond its community, and a claim without an object.
    kinds = {finding.kind for finding in (*graph.findings, *tree.findings)}
    assert {"cited_outside", "no_object"} <= kinds
    assert not kinds & {"dangling_id", "unknown_citation", "unknown_subject", "unknown_endpoint", "duplicate_key"}


def test_each_target_of_the_answers_is_a_node_that_the_importers_make(edges):
    for node, inputs in edges.items():
        for below, role in inputs:
            assert below in edges or below[0] in PAGES, f"{node} {role} {below}"


def test_two_answers_are_stale_one_is_for_review_and_one_is_spared(edges):
    answers = {key[1]: severity(key, edges) for key in edges if key[0] == "answer"}
    assert answers == {"returns": INVALID, "clearance": INVALID, "shipping": REVIEW, "receipts": NONE}


def test_only_three_of_eleven_claims_are_reached(edges):
    claims = {key[1:]: severity(key, edges) for key in edges if key[0] == "claim"}
    assert len(claims) == 11
    assert {claim: worst for claim, worst in claims.items() if worst} == {
        ("returns", "C1"): INVALID,
        ("clearance", "C3"): INVALID,
        ("shipping", "C3"): REVIEW,
    }


def test_the_spared_answer_rests_on_the_corrected_page_too(edges):
    def spans(node: Any) -> set[Any]:
        return {span for below, _ in edges[node] for span in spans(below)} if node in edges else {node}

    assert any(uri == files.correction().uri for uri, _, _ in spans(("answer", "receipts")))


def test_the_drifted_summary_is_cited(imported, edges):
    _, nodes = imported
    (summary,) = (node for node in nodes if f"node {DRIFTED}" in node["aliases"])
    assert (name(summary), "cites") in edges["claim", "clearance", "C2"]
