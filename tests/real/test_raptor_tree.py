"""RAPTOR's own demo tree, with its source and without."""

import pytest

from lineage.importers import import_raptor
from lineage.importers.raptor.tree import read_tree
from lineage.importers.raptor.unpickle import NODE, TREE, globals_of
from lineage.importers.report import Notes

pytestmark = pytest.mark.real


@pytest.fixture
def raptor(sample_data):
    return sample_data / "raptor"


def test_it_names_two_globals_only(raptor):
    assert set(globals_of((raptor / "cinderella.pkl").read_bytes(), "cinderella.pkl")) == {TREE, NODE}


def test_the_tree(raptor):
    notes = Notes()
    tree = read_tree(raptor / "cinderella.pkl", notes)
    assert (len(tree.nodes), len(tree.leaves)) == (40, 33)
    assert [node.index for node in tree.leaves] == list(range(33))
    assert sorted(child for node in tree.nodes.values() for child in node.children) == list(range(33))
    assert not notes.findings


# RAPTOR: the demo tree's 33 leaves located (32 exact)
def test_all_leaves_are_located(raptor, graph):
    report = import_raptor(graph, raptor / "cinderella.pkl", namespace="tale", sources=[raptor / "sample.txt"])
    assert {method: count for method, count in report.located.items() if count} == {"exact": 32, "letters": 1}
    assert (report.partial, report.findings) == (0, ())
    assert {kind: report.written[kind] for kind in ("document", "chunk", "summary")} == {
        "document": 1,
        "chunk": 33,
        "summary": 7,
    }
    again = import_raptor(graph, raptor / "cinderella.pkl", namespace="tale", sources=[raptor / "sample.txt"])
    assert (again.written, again.aliases, again.run) == ({}, 0, report.run)


def test_without_the_source_nothing_is_known_of_it(raptor, graph):
    report = import_raptor(graph, raptor / "cinderella.pkl", namespace="tale")
    assert (report.located["unlocated"], report.partial) == (33, 33)
    assert [one.kind for one in report.findings] == ["no_source"]
