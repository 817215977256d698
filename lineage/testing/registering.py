"""Examples of registering: identity, batches, derivations, names. Tests that follow a report name it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from lineage.graph import LineageGraph
from lineage.testing.driver import Driver
from lineage.testing.forms import NAMESPACE, answer, answer_id, claim_id, id_of, node, read, under
from lineage.testing.observe import observe
from lineage.testing.suite import Suite
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.records import Document, Extend, Finish, Input, Node, Retire, SpanRef

TEXT = "Alpha rules. Bravo rules.\n\nCarol rules. Delta rules.\n"


def document(driver: Driver, uri: str = "a.md", text: str = TEXT, **more: Any) -> str:
    driver.documents(Document(uri=uri, text=text, namespace=NAMESPACE, **more))
    return text


def status(graph: LineageGraph, ref: str) -> str:
    return graph.check(ref).status.value


def chunk(uri: str, quote: str, text: str = TEXT, **at: Any) -> Node:
    return node("chunk", (uri, quote), quote, read(uri, text, quote, **at))


class Registering(Suite):
    """What is registered, however it comes, is the same graph."""

    def test_the_same_chunks_in_other_batches_write_nothing_langchain_32612(self, driver: Driver) -> None:
        text = "".join(f"Rule {number} holds.\n\n" for number in range(100))
        document(driver, text=text)
        forms = [chunk("a.md", f"Rule {number} holds.", text) for number in range(100)]
        driver.register(driver.run(), forms)
        before = observe(driver.graph)
        again = driver.run()
        for start in range(0, 100, 7):
            result = again.register(forms[start : start + 7])
            assert not result.written
            assert not result.derived
        assert observe(driver.graph) == before

    def test_within_a_batch_order_is_free(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        middle = node("note", "n", "middle", id_of(below))
        forms = [*reversed(answer("q", "yes", [[id_of(middle)]])), middle, below]
        driver.register(driver.run(), forms)
        assert status(driver.graph, "q") == "fresh"

    def test_a_key_in_two_namespaces_is_two_nodes_graphrag_samples(self, driver: Driver) -> None:
        document(driver)
        run = driver.run()
        ref = read("a.md", TEXT, "Alpha rules.")
        mine = Node(
            kind="entity", namespace="v0.3", key="HARBOR", text="a port", inputs=(Input(ref=ref),), aliases=("7",)
        )
        theirs = mine.model_copy(update={"namespace": "v0.5"})
        driver.register(run, [mine, theirs])
        assert len(driver.graph.find("HARBOR", kind="entity")) == 2

    def test_fields_do_not_run_together_graphrag_toolkit_533(self, driver: Driver) -> None:
        first, second = node("note", ("hello", "world"), "x"), node("note", ("hell", "oworld"), "x")
        driver.register(driver.run(), [first, second])
        assert id_of(first) != id_of(second)
        assert len(driver.graph.find("", kind="note")) == 2

    def test_one_file_name_in_two_folders_lightrag_3158(self, driver: Driver) -> None:
        document(driver, "a/readme.md", "One readme.\n")
        document(driver, "b/readme.md", "Another readme.\n")
        assert driver.graph.text("a/readme.md") != driver.graph.text("b/readme.md")

    def test_equal_paragraphs_of_two_documents_are_two_chunks_nano_graphrag(self, driver: Driver) -> None:
        document(driver, "a.md")
        document(driver, "b.md")
        forms = [chunk(uri, "Alpha rules.") for uri in ("a.md", "b.md")]
        asked = [answer(f"q{at}", "yes", [[id_of(form)]]) for at, form in enumerate(forms)]
        driver.register(driver.run(), [*forms, *asked[0], *asked[1]])
        driver.withdraw(["b.md"])
        assert [status(driver.graph, f"q{at}") for at in (0, 1)] == ["fresh", "stale"]

    def test_other_bytes_under_a_known_uri_are_refused_with_the_choices(self, driver: Driver) -> None:
        document(driver)
        with pytest.raises(Conflict, match="another text"):
            driver.graph.register([Document(uri="a.md", text="Other bytes.\n")])
        assert driver.graph.text("a.md") == TEXT

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_the_inputs_of_one_run_add_up_in_any_order_seocho_183(self, driver: Driver, order: tuple[int, ...]) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Carol rules.")]
        run = driver.run()
        driver.register(run, chunks)
        for at in order:
            driver.register(run, [node("entity", "HARBOR", "a port", id_of(chunks[at]))])
        (entity,) = driver.graph.find("HARBOR", kind="entity")
        assert observe(driver.graph).inputs[entity.id].keys() == {("evidence", id_of(each)) for each in chunks}

    @pytest.mark.parametrize("first", [0, 1])
    def test_the_run_that_began_last_counts_whichever_commits_last(self, driver: Driver, first: int) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Carol rules.")]
        driver.register(driver.run(), chunks)
        runs = [driver.run(), driver.run()]
        for at in (first, 1 - first):
            driver.register(runs[at], [node("note", "n", "made", id_of(chunks[at])), node("note", "m", f"text {at}")])
        found = observe(driver.graph)
        assert found.inputs[id_of(node("note", "n", "made"))] == {("evidence", id_of(chunks[1])): None}
        assert found.current["note", NAMESPACE, "m"] == id_of(node("note", "m", "text 1"))

    @pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
    def test_extensions_and_makings_end_the_same_in_any_order(self, driver: Driver, order: tuple[int, ...]) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Carol rules.")]
        driver.register(driver.run(imported=True), [*chunks, node("note", "n", "made", id_of(chunks[0]))])
        made = id_of(node("note", "n", "made"))
        early, between, late, imported = driver.run(), driver.run(), driver.run(), driver.run(imported=True)
        commits: list[tuple[Any, Any]] = [
            (early, Extend(node=made, inputs=(Input(ref=id_of(chunks[2])),))),
            (late, Extend(node=made, inputs=(Input(ref=id_of(chunks[2])),))),
            (between, node("note", "n", "made", id_of(chunks[1]))),
            (imported, node("note", "n", "made", id_of(chunks[0]))),
        ]
        for at in order:
            driver.register(commits[at][0], [commits[at][1]])
        expected = {("evidence", id_of(chunks[1])), ("evidence", id_of(chunks[2]))}
        assert observe(driver.graph).inputs[made].keys() == expected

    def test_a_later_run_that_read_an_earlier_version_is_told(self, driver: Driver) -> None:
        text = document(driver)
        first = driver.run()
        new = text.replace("Bravo", "Baker")
        correction = driver.correct({"a.md": new})
        later = driver.run()
        of_new, of_old = chunk("a.md", "Alpha rules.", new, version=2), chunk("a.md", "Alpha rules.")
        driver.register(first, [of_new])
        assert not driver.graph.node(id_of(of_new)).marks
        driver.register(later, [of_old])
        driver.graph.propagate()
        assert [mark.cause for mark in driver.graph.node(id_of(of_old)).marks] == [correction]

    @pytest.mark.parametrize("imported", [False, True])
    @pytest.mark.parametrize("order", [(1, 2), (2, 1)])
    def test_the_lowest_version_read_stays(self, driver: Driver, order: tuple[int, int], imported: bool) -> None:
        texts = {1: document(driver), 2: TEXT.replace("Bravo", "Baker")}
        runs = [driver.run(imported=imported)]
        runs.append(driver.run(imported=True) if imported else runs[0])
        driver.correct({"a.md": texts[2]})
        for run, version in zip(runs, order, strict=True):
            driver.register(run, [chunk("a.md", "Alpha rules.", texts[version], version=version)])
        driver.graph.propagate()
        (found,) = driver.graph.find("Alpha", kind="chunk")
        assert found.marks

    def test_a_batch_may_make_a_node_and_lay_something_over_it(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Carol rules.")]
        made = node("note", "n", "made", id_of(chunks[0]), id_of(chunks[1]))
        driver.register(driver.run(), [*chunks, made])
        again = node("note", "n", "made", id_of(chunks[2]))
        driver.register(driver.run(), [Extend(node=id_of(made), inputs=(Input(ref=id_of(chunks[1])),)), again])
        expected = {("evidence", id_of(chunks[1])), ("evidence", id_of(chunks[2]))}
        assert observe(driver.graph).inputs[id_of(made)].keys() == expected

    @pytest.mark.parametrize(
        ("form", "says"),
        [
            (node("note", "n", "x", "l1:" + "0" * 40), "in this batch or in the store"),
            (node("note", "n", "x", SpanRef(uri="a.md", version=1, start=0, end=999)), "code points"),
            (node("note", "n", "x", SpanRef(uri="a.md", version=1, start=3, end=3)), "start < end"),
            (node("note", "n", "x", SpanRef(uri="a.md", version=1, start=0, end=5, quote="alpha")), "Alpha"),
            (node("note", "n", "x", SpanRef(uri="none.md", version=1, start=0, end=5)), "registered document"),
            (node("note", "n", "x", SpanRef(uri="a.md", version=2, start=0, end=5)), "version"),
        ],
    )
    def test_a_refused_batch_leaves_all_as_it_was(self, driver: Driver, form: Node, says: str) -> None:
        document(driver)
        run = driver.run()
        before = observe(driver.graph)
        with pytest.raises(BadInput, match=says):
            run.register([chunk("a.md", "Alpha rules."), *answer("q", "yes"), form])
        assert observe(driver.graph) == before

    def test_a_cycle_is_refused_with_its_path(self, driver: Driver) -> None:
        one, two = node("note", "one", "1"), node("note", "two", "2")
        batch = [node("note", "one", "1", id_of(two)), node("note", "two", "2", id_of(one))]
        run = driver.run()
        assert not driver.register(run, batch)
        driver.register(run, [one, node("note", "two", "2", id_of(one)), node("note", "three", "3", id_of(two))])
        three = id_of(node("note", "three", "3"))
        with pytest.raises(BadInput, match=r"→[^→]*→[^→]*→"):
            driver.run().register([Extend(node=id_of(one), inputs=(Input(ref=three),))])
        assert not driver.register(driver.run(), [Extend(node=id_of(one), inputs=(Input(ref=three),))])

    # names

    def test_same_key_and_text_is_the_same_node_whoever_made_it_from_what(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Carol rules.")]
        driver.register(driver.run(), chunks)
        driver.register(driver.run(), [node("note", "n", "same", id_of(chunks[0]))])
        driver.register(driver.run(), [node("note", "n", "same", id_of(chunks[1]))])
        assert len(driver.graph.find("", kind="note")) == 1

    def test_a_key_that_holds_text_is_replaced(self, driver: Driver) -> None:
        old = node("note", "old", "old text")
        other = node("note", "other", "other text")
        asked = [*answer("q", "yes", [[id_of(old)]]), *answer("r", "yes", [], [id_of(old)])]
        driver.register(driver.run(), [old, other, *asked])
        run = driver.run()
        new = node("note", "new", "new text", replaces=("old",))
        driver.register(run, [new, node("note", "new", "new text", replaces=("other",))])
        driver.graph.propagate()
        assert not driver.graph.node(id_of(old)).current
        assert not driver.graph.node(id_of(other)).current
        # What was replaced is told over what cites it, not to whom it was merely in the context.
        assert [mark.cause for mark in driver.graph.node(claim_id("q", "yes", 1)).marks] == [run.id]
        assert [status(driver.graph, key) for key in ("q", "r")] == ["review", "fresh"]
        driver.register(driver.run(), [old])
        driver.graph.propagate()
        assert status(driver.graph, "q") == "fresh"

    @pytest.mark.parametrize("naming_first", [False, True])
    def test_naming_wins_over_retiring_by_the_same_run(self, driver: Driver, naming_first: bool) -> None:
        driver.register(driver.run(), [node("note", "n", "text")])
        run = driver.run()
        forms: list[Any] = [node("note", "n", "text"), Retire(kind="note", namespace=NAMESPACE, key="n")]
        for form in forms if naming_first else reversed(forms):
            driver.register(run, [form])
        assert driver.graph.node(id_of(node("note", "n", "text"))).current

    def test_a_complete_run_retires_what_it_did_not_name_of_its_kinds(self, driver: Driver) -> None:
        driver.register(driver.run(), [node("note", "a", "a"), node("note", "b", "b"), node("gist", "c", "c")])
        driver.register(driver.run(), [*answer("q", "yes")])
        run, late = driver.run(), driver.run()
        driver.register(run, [node("note", "a", "a"), *answer("r", "yes")])
        driver.register(late, [node("note", "d", "d")])
        driver.register(run, [Finish(complete=True)])
        current = observe(driver.graph).current
        named = {name[2]: current[name] is not None for name in current}
        assert named == {"a": True, "b": False, "c": True, "d": True, "q": True, "r": True}

    def test_what_is_asked_again_replaces_the_answer_and_its_claims(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        asked = driver.run()
        later = driver.run()
        driver.register(later, [below, *answer("q", "old", [[id_of(below)], [id_of(below)]])])
        # By when it was asked, not by when its run began.
        driver.register(asked, answer("q", "new", [[id_of(below)]]))
        views = [driver.graph.node(each) for each in (answer_id("q", "old"), answer_id("q", "new"))]
        assert [view.current for view in views] == [False, True]
        claims = [claim_id("q", "old", 1), claim_id("q", "old", 2), claim_id("q", "new", 1)]
        assert [driver.graph.node(each).current for each in claims] == [False, False, True]
        assert status(driver.graph, answer_id("q", "old")) == "stale"

    def test_structural_roles_pass_nothing_and_the_context_at_most_a_review(self, driver: Driver) -> None:
        text = document(driver)
        below = chunk("a.md", "Alpha rules.")
        forms = [
            below,
            *(node("note", role, "x", *under(role, id_of(below))) for role in ("endpoint", "member", "about")),
            *(node("note", role, "x", *under(role, id_of(below))) for role in ("evidence", "child", "qualifier")),
            *answer("q", "yes", [], [id_of(below)]),
        ]
        driver.register(driver.run(), forms)
        driver.correct({"a.md": text.replace("Alpha", "Able")})
        found = {view.key: [mark.severity for mark in view.marks] for view in driver.graph.find("", kind="note")}
        assert found == {"endpoint": [], "member": [], "about": [], "evidence": [2], "child": [2], "qualifier": [2]}
        assert status(driver.graph, "q") == "review"
