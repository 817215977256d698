"""Four answers over the handbook, citing nodes of both indexes by the keys that the importers give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lineage.demo.corpus import COMMUNITIES, ENTITIES, RELATIONSHIPS
from lineage.demo.files import GRAPHRAG_NAMESPACE, RAPTOR_NAMESPACE
from lineage.demo.forms import Cited, Form, Statement, Target, answer
from lineage.demo.tables import full_content, units
from lineage.demo.tree import DRIFTED, SUMMARIES, leaves
from lineage.importers.drafts import digest
from lineage_schema.identity import content_hash, key_text
from lineage_schema.vocabulary import Kind

RUN_KEY = "demo-answers"
PRODUCER = "handbook-assistant"


class Index:
    """What the two indexes hold, as targets of citations."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = pages
        self._units = {unit.name: unit for unit in units(pages)}
        self._entities = {entity.title: entity for entity in ENTITIES}
        self._relationships = {(one.source, one.target): one for one in RELATIONSHIPS}
        self._summaries = {summary.index: summary for summary in SUMMARIES}
        self._tree_keys: dict[int, list[str]] = {leaf.index: _chunk_key(leaf.page, leaf.text) for leaf in leaves(pages)}
        for summary in SUMMARIES:
            below = digest(key_text(tuple(self._tree_keys[child])) for child in summary.children)
            self._tree_keys[summary.index] = [str(summary.layer), below]

    def unit(self, name: str) -> Target:
        unit = self._units[name]
        return _node(Kind.CHUNK, GRAPHRAG_NAMESPACE, _chunk_key(unit.page, unit.text), unit.text)

    def entity(self, title: str) -> Target:
        return _node(Kind.ENTITY, GRAPHRAG_NAMESPACE, title, self._entities[title].description)

    def relationship(self, source: str, target: str) -> Target:
        text = self._relationships[source, target].description
        return _node(Kind.RELATIONSHIP, GRAPHRAG_NAMESPACE, [source, target], text)

    def report(self, number: int) -> Target:
        community = COMMUNITIES[number]
        key = [str(community.level), digest(community.members)]
        return _node(Kind.REPORT, GRAPHRAG_NAMESPACE, key, full_content(community))

    def summary(self, index: int) -> Target:
        return _node(Kind.SUMMARY, RAPTOR_NAMESPACE, self._tree_keys[index], self._summaries[index].text)

    def passage(self, page: str, quote: str) -> Target:
        """A sentence of a page itself."""
        start = self._pages[page].index(quote)
        ref = {"uri": page, "version": 1, "start": start, "end": start + len(quote), "quote": quote}
        return Target(ref, quote, derived=False)


def _node(kind: Kind, namespace: str, key: str | list[str], text: str) -> Target:
    return Target({"kind": kind.value, "namespace": namespace, "key": key}, text, derived=True)


def _chunk_key(page: str, text: str) -> list[str]:
    # No passage of the handbook stands twice in its page.
    return [page, content_hash(text), "1"]


def records(pages: Mapping[str, str]) -> Iterator[Form]:
    """The answers as recorded forms."""
    index = Index(pages)
    yield {"type": "run", "namespace": GRAPHRAG_NAMESPACE, "key": RUN_KEY, "producer": PRODUCER, "version": "1"}
    for make in (_returns, _clearance, _shipping, _receipts):
        yield from make(index)
    yield {"type": "finish"}


def _answer(
    key: str, question: str, statements: list[Statement], retrieved: list[Target], **more: Any
) -> Iterator[Form]:
    return answer(
        GRAPHRAG_NAMESPACE,
        key,
        question,
        statements,
        retrieved,
        cache_key=content_hash(question)[:16],
        searched=[GRAPHRAG_NAMESPACE, RAPTOR_NAMESPACE],
        **more,
    )


def _returns(index: Index) -> Iterator[Form]:
    report, window = index.report(0), index.entity("RETURN WINDOW")
    condition, refund = index.unit("returns.md#Condition"), index.entity("REFUND")
    return _answer(
        "returns",
        "How long may I return an item, and when do I get my money back?",
        [
            Statement(
                "C1",
                "Standard items may be returned within 30 days of delivery.",
                (
                    Cited("[1]", report, "Standard items may be returned within 30 days of delivery"),
                    Cited("[2]", window),
                ),
            ),
            Statement(
                "C2",
                "The item has to be unused, with its tags on.",
                (Cited("[3]", condition, "A returned item must be unused and carry its tags."),),
            ),
            # The same pointer twice, as models print it.
            Statement(
                "C3",
                "The refund is issued within 5 working days after the inspection.",
                (Cited("[4]", refund), Cited("[4]", refund)),
            ),
        ],
        [report, window, condition, refund, index.unit("returns.md#Return window")],
    )


def _clearance(index: Index) -> Iterator[Form]:
    report, relationship = index.report(2), index.relationship("CLEARANCE ITEM", "REFUND")
    drifted, window = index.summary(DRIFTED), index.summary(9)
    return _answer(
        "clearance",
        "Can I return a clearance item?",
        [
            Statement(
                "C1",
                "Clearance items are final sale and are not refunded, unless they are faulty.",
                (
                    Cited("[1]", report, "A clearance item is not refunded unless it is faulty"),
                    Cited("[2]", relationship, "unless the item is faulty"),
                ),
            ),
            # As the drifted summary says. The pages say 7 days.
            Statement(
                "C2",
                "They can be exchanged for another size within 21 days of delivery.",
                (Cited("[3]", drifted, "exchanged for another size within 21 days of delivery"),),
            ),
            Statement(
                "C3",
                "Standard items, by contrast, can go back within 30 days of delivery.",
                (Cited("[4]", window, "Standard items can go back within 30 days of delivery"),),
            ),
        ],
        [report, relationship, drifted, window, index.unit("clearance.md#Final sale")],
    )


def _shipping(index: Index) -> Iterator[Form]:
    report, charge = index.report(1), index.entity("DELIVERY CHARGE")
    express = index.relationship("EXPRESS DELIVERY", "DELIVERY CHARGE")
    # The sentence after the one that the demo corrects, cited from the page itself.
    opening = index.passage("returns.md", "The window opens on the day the carrier records the delivery.")
    return _answer(
        "shipping",
        "What does delivery cost, and when does my return window open?",
        [
            Statement(
                "C1",
                "Standard delivery is free for orders of €75 or more.",
                (Cited("[1]", report, "Orders of €75 or more are delivered free"), Cited("[2]", charge)),
            ),
            # [9] was never offered: a marker that the model made up.
            Statement(
                "C2",
                "Express delivery costs €12 whatever the order is worth.",
                (Cited("[3]", express), Cited("[9]", None)),
            ),
            Statement(
                "C3", "The return window opens on the day the carrier records the delivery.", (Cited("[4]", opening),)
            ),
        ],
        [report, charge, express, opening, index.report(0)],
    )


def _receipts(index: Index) -> Iterator[Form]:
    proof, receipt = index.relationship("STANDARD ITEM", "RECEIPT"), index.entity("RECEIPT")
    gift = index.entity("GIFT RECEIPT")
    return _answer(
        "receipts",
        "Do I need a receipt to return something?",
        [
            Statement(
                "C1", "Every return of a standard item needs a receipt.", (Cited("[1]", proof), Cited("[2]", receipt))
            ),
            # [5] was not in the context, and exists all the same.
            Statement(
                "C2",
                "A gift receipt brings an exchange or store credit, never cash.",
                (
                    Cited("[3]", gift, "brings an exchange or store credit, never cash"),
                    Cited("[5]", index.unit("returns.md#Refunds"), "Gift returns are refunded as store credit."),
                ),
            ),
        ],
        [proof, receipt, gift, index.unit("receipts.md#Lost receipts")],
    )
