"""RAPTOR trees: read without running anything, located, and linked to what they summarise."""

import copyreg
import io
import pickle
import pickletools
import random
import re
import sys
import types

import pytest

from lineage.importers import import_raptor
from lineage.importers.raptor.tree import read_tree
from lineage.importers.raptor.unpickle import globals_of, load
from lineage.importers.report import Notes
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.identity import content_hash
from lineage_schema.vocabulary import Completeness, Origin, Role

TEXT = "The lease began in May. The rent is 1200 euros. It is due monthly!\nDogs are not allowed? Cats are.\n"
LEAVES = ["The lease began in May.", "The rent is 1200 euros It is due monthly", "Dogs are not allowed", "Cats are"]


@pytest.fixture
def classes(monkeypatch):
    """Classes under RAPTOR's own names, for writing pickles as RAPTOR does."""
    module = types.ModuleType("raptor.tree_structures")
    for name in ("Tree", "Node", "Other"):
        setattr(module, name, type(name, (), {"__module__": module.__name__}))
    monkeypatch.setitem(sys.modules, "raptor", types.ModuleType("raptor"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def write(classes, tmp_path):
    """Write a tree of ``leaves`` and ``layers`` of (text, child indexes); gives the path."""

    def node(index, text, children=()):
        made = classes.Node()
        made.__dict__.update(text=text, index=index, children=set(children), embeddings={"OpenAI": [0.1, 0.2]})
        return made

    def run(leaves=LEAVES, layers=(), *, change=lambda tree: None, protocol=4):
        nodes = [[node(i, text) for i, text in enumerate(leaves)]]
        for layer in layers:
            at = sum(map(len, nodes))
            nodes.append([node(at + i, text, children) for i, (text, children) in enumerate(layer)])
        tree = classes.Tree()
        every = [one for layer in nodes for one in layer]
        tree.__dict__.update(
            all_nodes={one.index: node(one.index, one.text, one.children) for one in reversed(every)},
            root_nodes={one.index: one for one in nodes[-1]},
            leaf_nodes={one.index: one for one in nodes[0]},
            num_layers=len(layers),
            layer_to_nodes=dict(enumerate(nodes)),
        )
        change(tree)
        path = tmp_path / "tree.pkl"
        path.write_bytes(pickle.dumps(tree, protocol=protocol))
        return path

    return run


@pytest.fixture
def source(tmp_path):
    def run(text=TEXT, name="lease.txt"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return run


TWO = [[("They began.", [0, 1]), ("Animals.", [2, 3])], [("All.", [4, 5])]]


def found(report, kind):
    return [(one.where, one.what) for one in report.findings if one.kind == kind]


# The tree in a graph


def test_a_tree_with_its_source(graph, write, source):
    report = import_raptor(graph, write(layers=TWO), namespace="ns", sources=[source()])
    assert report.read == report.written == {"document": 1, "chunk": 4, "summary": 3}
    assert (report.located["exact"], report.located["letters"]) == (3, 1)
    assert (report.partial, report.findings) == (0, ())
    chunk = graph.named("node 1")
    assert chunk.key == ("ns/lease.txt", content_hash(LEAVES[1]), "1")
    assert [one.ref.quote for one in chunk.inputs] == ["The rent is 1200 euros. It is due monthly"]
    summary = graph.named("node 4")
    assert (summary.kind, summary.text, summary.attributes) == ("summary", "They began.", {"level": 1})
    assert graph.named("node 6").attributes == {"level": 2}
    assert graph.inputs(graph.named("node 6")) == sorted(
        ("summary", graph.named(f"node {i}").key, (Origin.LISTED,)) for i in (4, 5)
    )
    assert {one.role for one in summary.inputs} == {Role.CHILD}
    assert graph.runs[0].facts["producer"] == "raptor"


def test_a_child_of_several_parents(graph, write, source):
    layers = [[("A.", [0, 1]), ("B.", [1, 2, 3])]]
    import_raptor(graph, write(layers=layers), namespace="ns", sources=[source()])
    parents = [
        record for record in graph.of("summary") if graph.named("node 1").key in [i.ref.key for i in record.inputs]
    ]
    assert len(parents) == 2


def test_keys_do_not_depend_on_index_numbers(graph, write, source, make_graph):
    import_raptor(graph, write(layers=TWO), namespace="ns", sources=[source()])
    other = make_graph()
    order = [2, 3, 0, 1]
    layers = [[("Animals.", [0, 1]), ("They began.", [2, 3])], [("All.", [5, 4])]]
    report = import_raptor(other, write([LEAVES[i] for i in order], layers), namespace="ns", sources=[source()])
    assert set(graph.nodes) == set(other.nodes)
    again = import_raptor(graph, write([LEAVES[i] for i in order], layers), namespace="ns", sources=[source()])
    assert again.written == {}
    assert again.run == report.run


def test_the_same_again_writes_nothing(graph, write, source):
    first = import_raptor(graph, write(layers=TWO), namespace="ns", sources=[source()])
    again = import_raptor(graph, write(layers=TWO), namespace="ns", sources=[source()])
    assert (again.written, again.aliases, again.run) == ({}, 0, first.run)
    assert again.existed == first.written


def test_without_a_source_lineage_is_incomplete(graph, write):
    report = import_raptor(graph, write(layers=TWO), namespace="ns")
    assert report.located["unlocated"] == 4
    assert found(report, "no_source") == [("leaves", "no source was given, so none of 4 leaves is located")]
    chunk = graph.named("node 0")
    assert (chunk.key[0], chunk.lineage, chunk.lineage_reason) == (
        "ns",
        Completeness.PARTIAL,
        "its document is not known",
    )
    assert report.partial == 4


def test_a_leaf_that_is_not_in_the_source(graph, write, source):
    report = import_raptor(
        graph, write(["The lease began in May.", "Nothing of this kind"]), namespace="ns", sources=[source()]
    )
    assert found(report, "unlocated") == [("leaf 1", "its text was not found in ns/lease.txt")]
    assert graph.named("node 1").lineage is Completeness.PARTIAL


def test_empty_leaves_are_findings(graph, write, source):
    layers = [[("A.", [0, 1, 2])]]
    report = import_raptor(
        graph, write(["The lease began in May.", "", " \n"], layers), namespace="ns", sources=[source()]
    )
    assert [where for where, _ in found(report, "empty_leaf")] == ["leaf 1", "leaf 2"]
    assert (report.read["chunk"], report.written["chunk"], report.located["unlocated"]) == (3, 1, 2)
    assert len(graph.named("node 3").inputs) == 1
    assert graph.named("node 3").lineage is Completeness.COMPLETE


def test_repeated_leaves_are_told_apart_by_order(graph, write, source):
    text = "Yes. First. Yes. Second. Yes."
    import_raptor(graph, write(["Yes.", "First.", "Yes.", "Second."]), namespace="ns", sources=[source(text)])
    starts = [graph.named(f"node {i}").inputs[0].ref.start for i in range(4)]
    assert starts == [0, 5, 12, 17]
    assert [graph.named(f"node {i}").key[2] for i in (0, 2)] == ["1", "2"]


def test_leaves_out_of_order(graph, write, source):
    """A long sentence is cut, and its pieces are emitted before the pending leaf."""
    text = "Short one. A very long sentence, with a first part; a second part: and an end. Last."
    leaves = ["A very long sentence with a first part", "a second part and an end", "Short one", "Last"]
    report = import_raptor(graph, write(leaves), namespace="ns", sources=[source(text)])
    assert report.located["unlocated"] == 0
    assert graph.named("node 2").inputs[0].ref.start == 0


def test_punctuation_lost_everywhere(graph, write, source):
    """A text cut again the way RAPTOR's newer splitter does: every leaf in one to three spans."""
    rng = random.Random(4)
    sentences = [
        " ".join(
            rng.choices(["alpha", "beta", "gamma", "delta", "omega", "zeta", "theta", "kappa"], k=rng.randint(4, 30))
        )
        + f" {i}"
        for i in range(300)
    ]
    text = "".join(s.replace(" ", ", ", 1) + rng.choice([". ", "! ", "?\n", ".\n\n"]) for s in sentences)
    pieces = [piece.strip() for piece in re.split(r"[.!?\n]", text) if piece.strip()]
    leaves: list[str] = []
    long: list[str] = []
    for piece in pieces:
        parts = [part.strip() for part in piece.split(",")] if len(piece) > 120 else [piece]
        (long if len(parts) > 1 else leaves).append(" ".join(parts))
    # Some of the long ones are emitted first; the leaves that they stood in are then in pieces.
    leaves = [*long, *(" ".join(leaves[i : i + 2]) for i in range(0, len(leaves), 2))]
    report = import_raptor(graph, write(leaves), namespace="ns", sources=[source(text)])
    assert report.located["unlocated"] == 0
    assert report.located["multi"] > 0
    assert report.located["letters"] > 0
    assert max(len(record.inputs) for record in graph.of("chunk")) <= 3


def test_several_sources(graph, write, source):
    first, second = source("First text. Both.", "a.txt"), source("Second text. Both.", "b.txt")
    leaves = ["First text", "Both. Second text", "Both"]
    report = import_raptor(graph, write(leaves), namespace="ns", sources=[first, second])
    assert report.written["document"] == 2
    assert [one.ref.uri for one in graph.named("node 0").inputs] == ["ns/a.txt"]
    assert [(one.ref.uri, one.ref.quote) for one in graph.named("node 1").inputs] == [
        ("ns/a.txt", "Both."),
        ("ns/b.txt", "Second text"),
    ]
    assert [(one.ref.uri, one.ref.quote) for one in graph.named("node 2").inputs] == [("ns/b.txt", "Both")]


def test_the_source_is_read_exactly(graph, write, source):
    text = "\ufeffThe lease.\r\nThe rent is due.\rEnd. 🏠 Home."
    import_raptor(graph, write(["The rent is due", "Home."]), namespace="ns", sources=[source(text)])
    assert graph.versions["ns/lease.txt", 1] == [text]
    assert graph.named("node 1").inputs[0].ref.start == text.index("Home.")


def test_a_source_that_is_known_and_one_that_differs(graph, write, source):
    graph.add_version("files/lease", TEXT)
    import_raptor(graph, write(), namespace="ns", sources=[source()])
    assert graph.named("node 0").key[0] == "files/lease"
    graph.add_version("ns/other.txt", "registered")
    with pytest.raises(Conflict, match="another text than the one registered"):
        import_raptor(graph, write(), namespace="ns", sources=[source("Other text.", "other.txt")])
    import_raptor(
        graph, write(), namespace="ns", sources=[source("Third text.", "t.txt")], documents={"t.txt": "urn:t"}
    )
    assert ("urn:t", 1) in graph.versions


@pytest.mark.parametrize("content", [b"caf\xe9", None])
def test_a_source_that_cannot_be_read(graph, write, tmp_path, content):
    path = tmp_path / "s.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match="source: expected"):
        import_raptor(graph, write(), namespace="ns", sources=[path])


# Trees as they are found


def test_roots_and_children_as_lists(graph, write, source, classes):
    def change(tree):
        tree.root_nodes = list(tree.root_nodes.values())
        for node in tree.all_nodes.values():
            node.children = list(node.children)

    report = import_raptor(graph, write(layers=TWO, change=change), namespace="ns", sources=[source()])
    assert report.written["summary"] == 3


def test_nodes_that_only_a_layer_holds(write):
    def change(tree):
        tree.all_nodes = {}
        tree.leaf_nodes = None

    tree = read_tree(write(layers=TWO, change=change), Notes())
    assert sorted(tree.nodes) == list(range(7))
    assert [node.layer for node in tree.nodes.values()] == [0, 0, 0, 0, 1, 1, 2]


def test_a_small_tree_whose_roots_are_its_leaves(graph, write, source):
    report = import_raptor(graph, write(), namespace="ns", sources=[source()])
    assert (report.written["chunk"], "summary" in report.written) == (4, False)


def test_copies_that_differ_are_a_finding(write):
    def change(tree):
        tree.leaf_nodes[0].text = "another"

    notes = Notes()
    tree = read_tree(write(layers=TWO, change=change), notes)
    assert tree.nodes[0].text == LEAVES[0]
    assert {(one.kind, one.where) for one in notes.findings} == {("duplicate_index", "node 0")}


def test_a_child_that_is_not_there(graph, write, source):
    report = import_raptor(graph, write(layers=[[("A.", [0, 99])]]), namespace="ns", sources=[source()])
    assert found(report, "dangling_id") == [("node 4", "1 of 2 ids name no node: 99")]
    assert graph.named("node 4").lineage is Completeness.PARTIAL


def test_a_summary_without_any_child_that_is_there_is_no_leaf(graph, write, source):
    report = import_raptor(graph, write(layers=[[("A.", [99])]]), namespace="ns", sources=[source()])
    assert report.read == {"document": 1, "chunk": 4, "summary": 1}
    assert graph.named("node 4").lineage is Completeness.PARTIAL


def test_a_layer_that_does_not_fit(write):
    def change(tree):
        tree.layer_to_nodes = {0: tree.layer_to_nodes[0], 5: tree.layer_to_nodes[1], 2: tree.layer_to_nodes[2]}

    notes = Notes()
    read_tree(write(layers=TWO, change=change), notes)
    assert {(one.kind, one.where) for one in notes.findings} == {
        ("layer_differs", "node 4"),
        ("layer_differs", "node 5"),
    }


def test_a_node_under_itself_is_refused(write):
    layers = [[("A.", [0, 5]), ("B.", [4])]]
    with pytest.raises(BadInput, match=r"no node under itself, found '(4 → 5 → 4|5 → 4 → 5)'"):
        read_tree(write(layers=layers), Notes())


def test_two_summaries_of_the_same_children(graph, write, source):
    layers = [[("A.", [0, 1]), ("B.", [0, 1])]]
    report = import_raptor(graph, write(layers=layers), namespace="ns", sources=[source()])
    assert graph.named("node 4").key != graph.named("node 5").key
    assert len(found(report, "duplicate_key")) == 1


def test_a_long_chain(write):
    layers = [[(f"S{i}", [3 + i if i else 0])] for i in range(3000)]
    tree = read_tree(write(layers=layers, change=lambda tree: tree.__dict__.pop("root_nodes")), Notes())
    assert max(node.layer for node in tree.nodes.values()) == 3000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: setattr(tree.all_nodes[0], "text", 7), "text: expected a string"),
        (lambda tree: setattr(tree.all_nodes[0], "index", "0"), "index: expected a whole number"),
        (lambda tree: setattr(tree.all_nodes[0], "children", {"a"}), "children: expected a set of indexes"),
        (lambda tree: tree.all_nodes.update({0: "text"}), "node: expected a raptor"),
        (lambda tree: setattr(tree, "all_nodes", 7), "nodes: expected a dict or a list"),
        (lambda tree: tree.__dict__.clear(), "expected a tree with nodes"),
    ],
)
def test_a_tree_of_another_form_is_refused(write, change, message):
    with pytest.raises(BadInput, match=message):
        read_tree(write(layers=TWO, change=change), Notes())


# Pickles that want to run something


class Evil:
    """Its pickle calls ``print`` when it is loaded."""

    def __reduce__(self):
        return print, ("this must never be printed",)


def refused(data, **options):
    with pytest.raises(BadInput) as caught:
        load(data, "tree.pkl", **options)
    return str(caught.value)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_call_is_refused_and_named(capsys, protocol):
    message = refused(pickle.dumps([Evil()], protocol=protocol))
    assert re.search(r"found '(builtins|__builtin__)\.print'", message)
    assert capsys.readouterr().out == ""


def test_a_call_hidden_in_a_tree_is_refused(write, capsys):
    path = write(change=lambda tree: setattr(tree.all_nodes[0], "embeddings", Evil()))
    with pytest.raises(BadInput, match=r"found 'builtins\.print'"):
        read_tree(path, Notes())
    assert capsys.readouterr().out == ""


def test_other_classes_of_raptor_are_refused(classes, write):
    path = write(change=lambda tree: setattr(tree, "extra", classes.Other()))
    with pytest.raises(BadInput, match=r"found 'raptor\.tree_structures\.Other'"):
        read_tree(path, Notes())


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"cos\nsystem\n(S'echo no'\ntR.", "os.system"),
        (b"(S'echo no'\nios\nsystem\n.", "os.system"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "os.system"),
        # The name comes out of the memo.
        (b"\x80\x04\x8c\x06system\x94\x8c\x02os\x94h\x01h\x00\x93.", "os.system"),
        # Protocol 0 strings, whose names the list of instructions does not follow.
        (b"\x80\x04S'os'\nS'system'\n\x93.", "a global whose name is not written in the file"),
        (b"\x80\x04)\x85\x93.", "a global whose name is not written in the file"),
        # What is allowed, and then something else under a name that is built from it.
        (b"craptor.tree_structures\nTree.__init__.__globals__\n.", "raptor.tree_structures.Tree.__init__.__globals__"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"Pid\n.", "PERSID"),
        (b"\x80\x02K\x01Q.", "BINPERSID"),
    ],
)
def test_every_way_to_a_global_is_refused(data, name):
    assert name in refused(data)


def test_the_reader_refuses_even_what_the_list_did_not_see(monkeypatch):
    monkeypatch.setattr("lineage.importers.raptor.unpickle.globals_of", lambda data, item: iter(()))
    assert "os.system" in refused(b"cos\nsystem\n(S'echo no'\ntR.")
    assert "persistent id" in refused(b"Pid\n.")


def test_nothing_is_built_of_a_refused_pickle(monkeypatch):
    def never(*args):
        raise AssertionError("the reader was reached")

    monkeypatch.setattr("lineage.importers.raptor.unpickle._Reader", never)
    refused(pickle.dumps([Evil()]))


def test_the_globals_are_listed_without_running(write):
    data = write(layers=TWO).read_bytes()
    assert set(globals_of(data, "x")) == {("raptor.tree_structures", "Tree"), ("raptor.tree_structures", "Node")}
    assert list(globals_of(b"cos\nsystem\n.", "x")) == [("os", "system")]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_all_protocols_with_classes_are_read(write, protocol):
    assert len(read_tree(write(layers=TWO, protocol=protocol), Notes()).nodes) == 7


@pytest.mark.parametrize("protocol", [0, 1])
def test_old_protocols_need_another_global(write, protocol):
    with pytest.raises(BadInput, match=r"copy_?reg"):
        read_tree(write(layers=TWO, protocol=protocol), Notes())


def test_state_is_kept_to_the_one_file(write):
    """A pickle may set attributes of its objects; the classes are its own, so no other file sees them."""
    first, tree_class, node_class = load(write().read_bytes(), "a")
    _, other_tree, other_node = load(write().read_bytes(), "b")
    assert tree_class is not other_tree
    assert node_class is not other_node
    assert isinstance(first, tree_class)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a pickle",
        pickle.dumps(["x"])[:-3],
        b"\x80\x04N",
        b"\x80\x04r\xff\xff\xff\x7f.",
        b"\x80\x02Nr\xff\xff\xff\x7f.",
        b"\x80\x04K\x01K\x02s.",
        b"\x80\x04craptor.tree_structures\nTree\nK\x01b.",
        b"\x80\x04craptor.tree_structures\nTree\n}b.",
    ],
)
def test_damaged_pickles_are_bad_input(data):
    refused(data)


def test_a_memo_number_out_of_order_is_refused_before_room_is_made_for_it():
    assert "LONG_BINPUT 2147483647" in refused(b"\x80\x02Nr\xff\xff\xff\x7f.")


@pytest.mark.parametrize("value", [["x"], {"all_nodes": {}}, None, 7])
def test_a_pickle_of_something_else_is_refused(tmp_path, value):
    path = tmp_path / "tree.pkl"
    path.write_bytes(pickle.dumps(value))
    with pytest.raises(BadInput, match=r"expected a raptor\.tree_structures\.Tree"):
        read_tree(path, Notes())


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadInput, match="path: expected a pickled RAPTOR tree"):
        read_tree(tmp_path / "no.pkl", Notes())


def numpy_tree(write, monkeypatch, module="numpy._core.multiarray"):
    """A tree whose embeddings are pickled as NumPy pickles arrays, dtypes and scalars; NumPy itself is not needed."""
    names = {
        "numpy": ("ndarray", "dtype"),
        module: ("_reconstruct", "scalar"),
    }
    made: dict[str, type] = {}
    for name, members in names.items():
        fake = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, fake)
        for member in members:
            made[member] = type(
                member, (), {"__module__": name, "__qualname__": member, "__init__": lambda self, *a: None}
            )
            setattr(fake, member, made[member])
    array = type("Array", (), {})
    dtype = type("Dtype", (), {})
    scalar = type("Scalar", (), {})
    table = copyreg.dispatch_table.copy()
    table[dtype] = lambda one: (made["dtype"], ("f8", False, True), (3, "<", None, None, None, -1, -1, 0))
    table[array] = lambda one: (
        made["_reconstruct"],
        (made["ndarray"], (0,), b"b"),
        (1, (2,), dtype(), False, b"\0" * 16),
    )
    table[scalar] = lambda one: (made["scalar"], (dtype(), b"\0" * 8))
    path = write(layers=TWO)

    def change(tree):
        tree.all_nodes[0].embeddings = {"a": array(), "b": [scalar()]}
        buffer = io.BytesIO()
        pickler = pickle.Pickler(buffer, 4)
        pickler.dispatch_table = table
        pickler.dump(tree)
        path.write_bytes(buffer.getvalue())
        raise StopIteration

    with pytest.raises(StopIteration):
        write(layers=TWO, change=change)
    return path


@pytest.mark.parametrize("module", ["numpy._core.multiarray", "numpy.core.multiarray"])
def test_numpy_embeddings_only_when_asked_for(write, monkeypatch, module):
    path = numpy_tree(write, monkeypatch, module)
    assert any("_reconstruct" in str(argument) for _, argument, _ in pickletools.genops(path.read_bytes()))
    with pytest.raises(BadInput, match="numpy") as caught:
        read_tree(path, Notes())
    assert "--allow-numpy" in str(caught.value.hint)
    for name in ("numpy", module):
        monkeypatch.setitem(sys.modules, name, None)
    # Nothing of NumPy is imported or built: the embeddings are not read.
    assert len(read_tree(path, Notes(), allow_numpy=True).nodes) == 7


def test_numpy_does_not_open_other_doors(capsys):
    assert "print" in refused(pickle.dumps([Evil()]), allow_numpy=True)
    assert "numpy.testing" in refused(b"cnumpy.testing\nrundocs\n.", allow_numpy=True)
