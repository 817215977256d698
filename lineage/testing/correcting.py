"""Examples of correcting: what is marked, what is spared, what clears. Tests that follow a report name it."""

from __future__ import annotations

from typing import Any

import pytest

from lineage.correct import Correction, commit, prepare
from lineage.testing.driver import Driver
from lineage.testing.forms import NAMESPACE, answer, answer_id, id_of, node, read, under
from lineage.testing.observe import observe
from lineage.testing.registering import TEXT, chunk, document, status
from lineage.testing.suite import Suite
from lineage.testing.telling import Batch
from lineage_schema.errors import BadInput, Conflict, NotFound
from lineage_schema.records import AnswerRef, Citation, ClaimRef, Document, Extend, Input, Node, SpanRef
from lineage_schema.vocabulary import ChangeKind, Completeness, Role

BRAVO = TEXT.replace("Bravo rules", "Bravo rules not")


def severities(driver: Driver, *ids: str) -> list[int]:
    """The worst open mark of each node."""
    return [max((mark.severity for mark in driver.graph.node(each).marks), default=0) for each in ids]


def entity(key: str, *chunks: Node, **more: Any) -> Node:
    return node("entity", key, f"all about {key}", *(id_of(each) for each in chunks), **more)


class Correcting(Suite):
    """What a correction affects is what the definition says, whatever happens in between."""

    def test_a_cached_answer_is_stale_from_the_commit_on_lightrag_1041_755(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        lease = entity("LEASE", below)
        driver.register(driver.run(), [below, lease, *answer("q", "yes", [[id_of(lease)]], cache_key="k")])
        correction = driver.withdraw(["a.md"], propagate=False)
        assert driver.graph.pending()
        (checked,) = driver.graph.check("k").answers
        assert (checked.status, [reason.cause for reason in checked.reasons]) == ("stale", [correction])

    def test_i_do_not_know_is_asked_again_when_a_document_comes_lightrag_2881(self, driver: Driver) -> None:
        document(driver)
        driver.register(driver.run(), answer("q", "I do not know.", searched=(NAMESPACE,)))
        assert status(driver.graph, "q") == "fresh"
        document(driver, "b.md")
        assert status(driver.graph, "q") == "review"

    def test_two_corrections_of_one_version_with_different_texts_conflict(self, driver: Driver) -> None:
        document(driver)
        store = driver.graph.store

        def prepared(text: str) -> Correction:
            return store.read(
                lambda tx: prepare(tx, {"a.md": text}, kind=ChangeKind.CORRECT, reason="wrong", by=None, force=True)
            )

        first, second = prepared(BRAVO), prepared(TEXT.replace("Bravo", "Beta"))
        # An id says which version follows which, not what it says.
        assert first.id == second.id
        assert driver.learn(store.write(lambda tx: commit(tx, first))) == first.id
        with pytest.raises(Conflict, match="changed meanwhile"):
            store.write(lambda tx: commit(tx, second))
        assert store.write(lambda tx: commit(tx, first)) == first.id
        driver.graph.propagate()
        assert driver.graph.text("a.md") == BRAVO

    @pytest.mark.parametrize("length", [200])
    def test_all_of_a_chain_is_marked_dagster_14385_kuzu_mlmd(self, driver: Driver, length: int) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        chain = [node("note", "0", "note 0", id_of(below))]
        for at in range(1, length):
            chain.append(node("note", str(at), f"note {at}", id_of(chain[-1])))
        driver.register(driver.run(), [below, *chain, *answer("q", "yes", [[id_of(chain[-1])]])])
        driver.correct({"a.md": TEXT.replace("Alpha", "Able")}, propagate=False)
        driver.graph.propagate(batch=7)
        assert severities(driver, *(id_of(each) for each in chain)) == [2] * length
        (report,) = driver.graph.affected().to_json()["answers"]
        assert report["claims"][0]["level"] == length + 2

    def test_layers_that_are_fully_connected_typegraph_271(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        layers = [[node("note", f"0-{at}", f"0 {at}", id_of(below)) for at in range(8)]]
        for number in range(1, 12):
            inputs = [id_of(each) for each in layers[-1]]
            layers.append([node("note", f"{number}-{at}", f"{number} {at}", *inputs) for at in range(8)])
        nodes = [each for layer in layers for each in layer]
        driver.register(driver.run(), [below, *nodes])
        driver.correct({"a.md": TEXT.replace("Alpha", "Able")})
        assert severities(driver, *(id_of(each) for each in nodes)) == [2] * 96
        assert len(driver.graph.impact(id_of(below)).nodes) == 97

    def test_equal_bytes_and_text_appended_mark_nothing_coalent(self, driver: Driver) -> None:
        document(driver)
        below = [chunk("a.md", "Alpha rules."), chunk("a.md", "Delta rules.")]
        driver.register(driver.run(), [*below, *answer("q", "yes", [[id_of(each) for each in below]])])
        assert driver.correct({"a.md": TEXT}) is None
        assert driver.correct({"a.md": TEXT + "\nEcho rules.\n"}) is not None
        assert not observe(driver.graph).marks
        assert status(driver.graph, "q") == "fresh"

    def test_one_sentence_of_twenty_graphiti_1728(self, driver: Driver) -> None:
        text = document(driver, text="".join(f"Rule {number} holds.\n\n" for number in range(20)))
        chunks = [chunk("a.md", f"Rule {number} holds.", text) for number in range(20)]
        asked = [form for at, each in enumerate(chunks) for form in answer(f"q{at}", "yes", [[id_of(each)]])]
        driver.register(driver.run(), [*chunks, *asked])
        driver.correct({"a.md": text.replace("Rule 7 holds", "Rule 7 falls")})
        assert severities(driver, *(id_of(each) for each in chunks)) == [2 * (at == 7) for at in range(20)]
        counts = driver.graph.affected().to_json()["counts"]
        assert counts["answers"] == {"invalid": 1}
        assert sum(counts["spared"].values()) == 19

    def test_a_shared_entity_is_told_from_one_without_support_graphrag_2078_lightrag_1555(self, driver: Driver) -> None:
        document(driver, "a.md")
        document(driver, "b.md")
        mine, theirs = chunk("a.md", "Alpha rules."), chunk("b.md", "Alpha rules.")
        shared, single = entity("SHARED", mine, theirs), entity("SINGLE", theirs)
        driver.register(driver.run(), [mine, theirs, shared, single])
        driver.withdraw(["b.md"])
        assert severities(driver, id_of(shared), id_of(single)) == [2, 2]
        planned = {each.key: each for level in driver.graph.plan().levels for each in level}
        assert [[each.state for each in planned[key].inputs] for key in ("SHARED", "SINGLE")] in (
            [["fresh", "invalid"], ["invalid"]],
            [["invalid", "fresh"], ["invalid"]],
        )

    def test_what_is_made_again_from_withdrawn_text_is_born_stale_lightrag_2514_3835(self, driver: Driver) -> None:
        document(driver)
        driver.withdraw(["a.md"])
        late = driver.run()
        below = chunk("a.md", "Alpha rules.")
        driver.register(late, [below, entity("E", below), *answer("q", "yes", [[id_of(below)]])])
        assert severities(driver, id_of(below), id_of(entity("E", below))) == [2, 2]
        assert status(driver.graph, "q") == "stale"

    def test_a_slow_worker_is_told_of_changed_text_and_of_changed_neighbours_lightrag_2514(
        self, driver: Driver
    ) -> None:
        document(driver)
        slow = driver.run()
        driver.correct({"a.md": BRAVO})
        quick = driver.run()
        old = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Delta rules.")]
        driver.register(slow, old)
        assert severities(driver, *(id_of(each) for each in old)) == [1, 2, 0]
        # Who read the new text has seen the new neighbours.
        new = node("note", "seen", "x", read("a.md", BRAVO, "Alpha rules.", version=2))
        driver.register(quick, [new])
        assert severities(driver, id_of(new)) == [0]

    def test_old_neighbours_that_come_back_clear_the_review(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        driver.register(driver.run(), [below])
        driver.correct({"a.md": BRAVO})
        assert severities(driver, id_of(below)) == [1]
        driver.correct({"a.md": TEXT + "\nEcho rules.\n"})
        assert severities(driver, id_of(below)) == [0]

    def test_undo_restores_all_that_stood(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Carol rules.")]
        driver.register(driver.run(), [*chunks, *answer("q", "yes", [[id_of(each) for each in chunks]])])
        before = observe(driver.graph)
        correction = driver.correct({"a.md": "Nothing of it is left.\n"})
        assert status(driver.graph, "q") == "stale"
        assert correction is not None
        assert driver.undo(correction) is not None
        assert observe(driver.graph) == before
        assert status(driver.graph, "q") == "fresh"

    def test_corrections_are_undone_one_after_the_other(self, driver: Driver) -> None:
        document(driver)
        first = driver.correct({"a.md": BRAVO})
        second = driver.correct({"a.md": BRAVO.replace("Carol", "Cecil")})
        assert first is not None
        assert second is not None
        assert driver.undo(first) is None
        assert driver.undo(second) is not None
        # The text is now what the first one left.
        assert driver.undo(first) is not None
        assert driver.graph.text("a.md") == TEXT

    def test_a_change_set_is_one_correction(self, driver: Driver) -> None:
        document(driver, "a.md")
        document(driver, "b.md")
        chunks = [chunk(uri, "Alpha rules.") for uri in ("a.md", "b.md")]
        driver.register(driver.run(), [*chunks, node("note", "n", "x", *(id_of(each) for each in chunks))])
        correction = driver.correct({uri: TEXT.replace("Alpha", "Able") for uri in ("a.md", "b.md")})
        assert {cause for cause, _ in observe(driver.graph).marks} == {correction}

    def test_a_correction_of_what_is_not_current_is_refused(self, driver: Driver) -> None:
        document(driver)
        with pytest.raises(Conflict, match="shares"):
            driver.graph.correct({"a.md": "Other words, all of them.\n"}, reason="typo")
        with pytest.raises(NotFound):
            driver.graph.correct({"none.md": "x"}, reason="typo")
        assert driver.graph.text("a.md") == TEXT

    def test_a_rebuild_to_the_same_text_clears_all_above(self, driver: Driver) -> None:
        document(driver)
        old = chunk("a.md", "Bravo rules.")
        summary, above = node("note", "s", "There are rules.", id_of(old)), "Rules there are."
        top = node("note", "t", above, id_of(summary))
        driver.register(driver.run(), [old, summary, top, *answer("q", "yes", [[id_of(top)]])])
        driver.correct({"a.md": BRAVO})
        assert status(driver.graph, "q") == "stale"
        new = chunk("a.md", "Bravo rules not.", BRAVO, version=2)
        driver.register(driver.run(), [new, node("note", "s", "There are rules.", id_of(new))])
        driver.graph.propagate()
        assert severities(driver, id_of(summary), id_of(top)) == [0, 0]
        assert status(driver.graph, "q") == "fresh"

    def test_two_namespaces_rebuild_apart_llama_index_23164(self, driver: Driver) -> None:
        document(driver)
        ref = Input(ref=read("a.md", TEXT, "Bravo rules."))
        mine, theirs = (Node(kind="note", namespace=space, key="n", text="x", inputs=(ref,)) for space in ("w", "v"))
        driver.register(driver.run(), [mine, theirs])
        driver.correct({"a.md": BRAVO})
        again = read("a.md", BRAVO, "Bravo rules not.", version=2)
        driver.register(driver.run(), [mine.model_copy(update={"inputs": (Input(ref=again),)})])
        driver.graph.propagate()
        assert severities(driver, id_of(mine), id_of(theirs)) == [0, 2]

    @pytest.mark.parametrize("rebuilt", [False, True])
    def test_an_import_is_no_rebuild_graphrag_update(self, driver: Driver, rebuilt: bool) -> None:
        document(driver)
        old = chunk("a.md", "Bravo rules.")
        report = node("report", "r", "There are rules.", id_of(old))
        driver.register(driver.run(), [old, report])
        driver.correct({"a.md": BRAVO})
        new = chunk("a.md", "Bravo rules not.", BRAVO, version=2)
        again = node("report", "r", "There are rules.", id_of(new))
        driver.register(driver.run(imported=True, rebuilt=rebuilt), [new, again])
        driver.graph.propagate()
        assert severities(driver, id_of(report)) == [0 if rebuilt else 2]

    def test_what_lineage_does_not_tell_is_never_fresh_property_graph_index(self, driver: Driver) -> None:
        document(driver, "a.md")
        document(driver, "b.md")
        mine, theirs = chunk("a.md", "Alpha rules."), chunk("b.md", "Alpha rules.")
        cut = entity("CUT", theirs, lineage=Completeness.PARTIAL, lineage_reason="one chunk of three is named")
        driver.register(driver.run(), [mine, theirs, cut, *answer("q", "yes", [[id_of(cut)]])])
        correction = driver.correct({"a.md": TEXT.replace("Alpha", "Able")})
        assert [each["key"] for each in driver.graph.affected().to_json()["cannot_exclude"]] == ["q"]
        assert status(driver.graph, "q") != "fresh"
        driver.register(driver.run(), [entity("CUT", theirs)])
        driver.graph.propagate()
        assert status(driver.graph, "q") == "fresh"
        assert correction is not None

    def test_what_is_not_known_is_excluded_once_it_is_made_again_after_the_correction(self, driver: Driver) -> None:
        document(driver, "a.md")
        document(driver, "b.md")
        mine, theirs = chunk("a.md", "Alpha rules."), chunk("b.md", "Alpha rules.")
        some = {"lineage": Completeness.PARTIAL, "lineage_reason": "one chunk of three is named"}
        early = driver.run()
        driver.register(early, [mine, theirs, entity("CUT", theirs, **some), *answer("q", "yes", [[id_of(theirs)]])])
        driver.register(early, answer("p", "yes", [[id_of(entity("CUT"))]]))
        slow = driver.run()
        text = TEXT.replace("Alpha", "Able")
        correction = driver.correct({"a.md": text})
        driver.register(slow, [entity("CUT", theirs, **some)])
        assert [status(driver.graph, key) for key in ("p", "q")] == ["unknown", "fresh"]
        # It began after the correction, but while what the correction reached was still to be rebuilt.
        driver.register(driver.run(), [entity("CUT", theirs, **some)])
        assert status(driver.graph, "p") == "unknown"
        rebuilt = chunk("a.md", "Able rules.", text, version=2).model_copy(update={"replaces": (mine.key,)})
        driver.register(driver.run(), [rebuilt])
        driver.graph.propagate()
        assert {view.id: view.state.value for view in driver.graph.corrections()} == {correction: "closed"}
        driver.register(driver.run(), [entity("CUT", theirs, **some)])
        assert status(driver.graph, "p") == "fresh"

    def test_a_correction_is_closed_once_all_it_reached_is_rebuilt(self, driver: Driver) -> None:
        document(driver)
        old = chunk("a.md", "Bravo rules.")
        driver.register(driver.run(), [old, *answer("q", "yes", [[id_of(old)]])])
        correction = driver.correct({"a.md": BRAVO})
        states = [driver.graph.corrections()[0].state.value]
        new = chunk("a.md", "Bravo rules not.", BRAVO, version=2)
        driver.register(driver.run(), [new.model_copy(update={"replaces": (old.key,)})])
        states.append(driver.graph.corrections()[0].state.value)
        driver.register(driver.run(), answer("q", "no", [[id_of(new)]]))
        states.append(driver.graph.corrections()[0].state.value)
        assert states == ["open", "open", "closed"]
        assert correction is not None
        assert driver.graph.affected(correction).to_json()["answers"] == []

    def test_what_did_not_change_and_what_was_appended_mark_nothing_coalent(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Delta rules.")]
        driver.register(driver.run(), [*chunks, *answer("q", "yes", [[id_of(each) for each in chunks]])])
        before = observe(driver.graph)
        assert driver.correct({"a.md": TEXT}) is None
        driver.documents(Document(uri="a.md", text=TEXT, namespace=NAMESPACE))
        assert observe(driver.graph) == before
        assert driver.correct({"a.md": TEXT + "\nEcho rules.\n"}) is not None
        assert observe(driver.graph).marks == {}
        assert status(driver.graph, "q") == "fresh"

    def test_after_an_edit_only_its_paragraph_is_new_to_a_paragraph_chunker(self, driver: Driver) -> None:
        text = "".join(f"Rule {number} holds for {number} days.\n\n" for number in range(30))
        edited = text.replace("holds for 7 days", "holds for 9 days")

        def indexed(of: str, version: int) -> list[Node]:
            chunks = [chunk("a.md", part, of, version=version) for part in of.split("\n\n") if part]
            parts = [chunks[at : at + 10] for at in (0, 10, 20)]
            above = [
                node("summary", str(at), " ".join(each.text for each in part), *under(Role.CHILD, *map(id_of, part)))
                for at, part in enumerate(parts)
            ]
            return [*chunks, *above]

        document(driver, text=text)
        driver.register(driver.run(), indexed(text, 1))
        driver.correct({"a.md": edited})
        again, forms = driver.run(), indexed(edited, 2)
        written = again.register(forms).written
        assert written == {"span": 1, "chunk": 1, "summary": 1}
        driver.oracle.tell(Batch(driver.oracle, again.id, forms).events())

    def test_a_document_keeps_its_identity_over_its_texts_lightrag_1_5(self, driver: Driver) -> None:
        document(driver)
        driver.correct({"a.md": BRAVO})
        texts = {number: each.text for number, each in driver.oracle.editions["a.md", 1].items()}
        assert texts == {1: TEXT, 2: BRAVO}
        assert driver.graph.text("a.md") == BRAVO

    def test_many_withdrawals_are_one_plan_lightrag_2795(self, driver: Driver) -> None:
        uris = [f"{number}.md" for number in range(85)]
        for uri in uris:
            driver.documents(Document(uri=uri, text=f"The rule of {uri} holds.\n"))
        chunks = [node("chunk", uri, f"chunk of {uri}", SpanRef(uri=uri, version=1)) for uri in uris]
        top = node("report", "r", "all rules", *(id_of(each) for each in chunks))
        driver.register(driver.run(), [*chunks, top])
        for uri in uris:
            driver.graph.withdraw([uri], reason="gone", propagate=False)
        driver.graph.propagate()
        levels = [[each.id for each in level] for level in driver.graph.plan().levels]
        assert [sorted(level) for level in levels] == [sorted(id_of(each) for each in chunks), [id_of(top)]]
        # The oracle was not told of all this: it is told by what came of it.
        for view in driver.graph.corrections():
            driver.learn(view.id)

    def test_a_report_during_propagation_says_so_datahub_18623(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        driver.register(driver.run(), [below, *answer("q", "yes", [[id_of(below)]])])
        correction = driver.correct({"a.md": TEXT.replace("Alpha", "Able")}, propagate=False)
        assert correction is not None
        states = []
        while driver.graph.pending():
            states.append(driver.graph.affected(correction).to_json()["correction"]["state"])
            driver.graph.propagate(steps=1, batch=1)
        assert states
        assert set(states) == {"propagating"}
        assert driver.graph.affected(correction).to_json()["correction"]["state"] == "open"

    def test_after_a_purge_a_trace_still_holds_cognee_4030_ragflow_9883(self, driver: Driver) -> None:
        document(driver)
        below = node("chunk", "c", "Alpha rules.", read("a.md", TEXT, "Alpha rules."))
        driver.register(driver.run(), [below, *answer("q", "yes", [[id_of(below)]])])
        driver.withdraw(["a.md"])
        driver.graph.withdraw(["a.md"], reason="erased", purge=True)
        traced = driver.graph.trace(answer_id("q", "yes"))
        assert id_of(below) in str(traced.to_json())
        assert "Alpha rules." not in str(traced.to_json())
        assert driver.graph.node(id_of(below)).text is None
        assert status(driver.graph, "q") == "stale"

    # whole versions, editions

    def test_any_edit_reaches_who_cites_the_whole_text(self, driver: Driver) -> None:
        document(driver)
        claim = ClaimRef(answer=AnswerRef(namespace=NAMESPACE, key="q"), ordinal=1)
        whole = Citation(claim=claim, order=1, target=SpanRef(uri="a.md", version=1))
        driver.register(driver.run(), [*answer("q", "yes", [[]]), whole])
        driver.correct({"a.md": TEXT + "\nEcho rules.\n"})
        assert status(driver.graph, "q") == "review"

    def test_an_edition_says_what_the_old_text_says_or_something_else(self, driver: Driver) -> None:
        document(driver, valid_from="2020-01-01")
        same, other = chunk("a.md", "Carol rules."), chunk("a.md", "Bravo rules.")
        asked = [form for key, each in (("s", same), ("o", other)) for form in answer(key, "yes", [[id_of(each)]])]
        then = answer("then", "yes", [[id_of(other)]], as_of="2021-01-01")
        now = answer("now", "yes", [[id_of(other)]], as_of="2031-01-01")
        driver.register(driver.run(), [same, other, *asked, *then, *now])
        edition = driver.edition("a.md", BRAVO, "2030-01-01")
        assert [status(driver.graph, key) for key in ("s", "o", "then", "now")] == ["review", "stale", "fresh", "stale"]
        assert edition is not None
        driver.undo(edition)
        assert [status(driver.graph, key) for key in ("s", "o", "then", "now")] == ["fresh"] * 4

    def test_a_second_edition_of_a_version_is_no_retry_of_the_first(self, driver: Driver) -> None:
        document(driver, valid_from="2020-01-01")
        first = driver.edition("a.md", BRAVO, "2030-01-01")
        assert first is not None
        driver.undo(first)
        second = driver.edition("a.md", BRAVO + "\nEcho rules.\n", "2031-01-01")
        assert second not in (None, first)
        assert len(driver.oracle.editions) == 3
        # Its text is there: what quotes it can be registered.
        driver.register(driver.run(), [chunk("a.md", "Echo rules.", text=BRAVO + "\nEcho rules.\n", edition=3)])

    def test_a_late_reader_of_an_old_edition_is_told_of_the_newer_one(self, driver: Driver) -> None:
        document(driver, valid_from="2020-01-01")
        driver.register(driver.run(), [chunk("a.md", "Carol rules.")])
        first = driver.correct({"a.md": BRAVO})
        driver.edition("a.md", BRAVO + "\nEcho rules.\n", "2030-01-01")
        assert first is not None
        driver.undo(first)
        late = node("note", "late", "x", read("a.md", TEXT, "Carol rules.", version=3))
        driver.register(driver.run(), [late])
        assert severities(driver, id_of(late)) == [1]

    def test_an_undo_that_takes_an_edition_away_again_takes_its_marks(self, driver: Driver) -> None:
        document(driver, "a.md", valid_from="2020-01-01")
        document(driver, "b.md")
        below = chunk("a.md", "Carol rules.")
        driver.register(driver.run(), [below])
        edition = driver.edition("a.md", BRAVO, "2030-01-01")
        driver.withdraw(["a.md"])
        driver.withdraw(["a.md"])
        back = driver.correct({"a.md": BRAVO, "b.md": BRAVO})
        assert edition in {mark.cause for mark in driver.graph.node(id_of(below)).marks}
        assert back is not None
        driver.undo(back)
        assert edition not in {mark.cause for mark in driver.graph.node(id_of(below)).marks}

    # decisions

    def test_a_dismissal_stands_until_something_else_passes(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Carol rules.")]
        made = node("note", "n", "x", id_of(chunks[0]))
        above = node("note", "above", "x", id_of(made))
        driver.register(driver.run(), [*chunks, made, above])
        correction = driver.correct({"a.md": BRAVO})
        assert correction is not None
        with pytest.raises(BadInput):
            driver.graph.dismiss(sorted(driver.oracle.spans)[0], reason="no", correction=correction)
        driver.dismiss(correction, id_of(made))
        driver.graph.propagate()
        assert severities(driver, id_of(made), id_of(above)) == [0, 0]
        driver.register(driver.run(), [Extend(node=id_of(made), inputs=tuple(under(Role.EVIDENCE, id_of(chunks[1]))))])
        driver.graph.propagate()
        assert severities(driver, id_of(made), id_of(above)) == [2, 2]

    def test_a_dismissal_falls_when_what_passes_gets_worse(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.")]
        below = node("note", "below", "x", id_of(chunks[0]))
        above = node("note", "above", "x", id_of(below))
        driver.register(driver.run(), [*chunks, below, above])
        correction = driver.correct({"a.md": BRAVO})
        assert correction is not None
        driver.dismiss(correction, id_of(above))
        driver.graph.propagate()
        assert severities(driver, id_of(below), id_of(above)) == [1, 0]
        driver.register(driver.run(), [Extend(node=id_of(below), inputs=tuple(under(Role.CHILD, id_of(chunks[1]))))])
        driver.graph.propagate()
        assert severities(driver, id_of(below), id_of(above)) == [2, 2]

    def test_a_dismissal_is_of_one_making(self, driver: Driver) -> None:
        document(driver)
        below = chunk("a.md", "Alpha rules.")
        made = node("note", "n", "x", id_of(below))
        driver.register(driver.run(), [below, made])
        first = driver.correct({"a.md": BRAVO})
        assert first is not None
        driver.dismiss(first, id_of(made))
        driver.graph.propagate()
        driver.register(driver.run(), [made])
        driver.graph.propagate()
        # Made again from the same inputs while nothing marks it, it is the making that was decided on.
        assert severities(driver, id_of(made)) == [0]
        driver.correct({"a.md": BRAVO.replace("Alpha", "Able")})
        driver.register(driver.run(), [made])
        driver.graph.propagate()
        assert {mark.cause for mark in driver.graph.node(id_of(made)).marks} == set(driver.oracle.corrections)

    def test_what_replaced_and_what_is_not_known_can_be_dismissed_by_name(self, driver: Driver) -> None:
        old = node("note", "old", "x", lineage=Completeness.UNKNOWN, lineage_reason="nobody knows")
        driver.register(driver.run(), [old, *answer("q", "yes", [[id_of(old)]])])
        run = driver.run()
        driver.register(run, [node("note", "new", "y", replaces=("old",))])
        driver.graph.propagate()
        for cause in (run.id, "incomplete"):
            driver.dismiss(cause, answer_id("q", "yes"))
        driver.graph.propagate()
        assert status(driver.graph, "q") == "fresh"

    def test_a_dry_run_writes_nothing_and_says_the_same(self, driver: Driver) -> None:
        document(driver)
        chunks = [chunk("a.md", quote) for quote in ("Alpha rules.", "Bravo rules.", "Carol rules.")]
        asked = [form for at, each in enumerate(chunks) for form in answer(f"q{at}", "yes", [[id_of(each)]])]
        driver.register(driver.run(), [*chunks, *asked])
        before = observe(driver.graph)
        dry = driver.graph.correct({"a.md": BRAVO}, reason="wrong", dry_run=True)
        assert observe(driver.graph) == before
        driver.correct({"a.md": BRAVO})
        assert dry.report is not None
        said, done = dry.report.to_json(), driver.graph.affected().to_json()
        for each in (said, done):
            del each["correction"]["at"]
        assert said == done
