"""Small stores for kills and races: a document, chunks of it, and layers above them."""

from __future__ import annotations

from typing import Any

from lineage import Answer, Citation, Claim, Document, Input, LineageGraph, Node, NodeRef, SpanRef
from lineage.evaluate import evaluate

SENTENCES = [f"Rule {number} holds for {number + 10} days." for number in range(8)]
TEXTS = {f"rules-{number}.md": sentence + "\n\nThe rest stays.\n" for number, sentence in enumerate(SENTENCES)}
URIS = tuple(TEXTS)


def build(graph: LineageGraph, layers: int, width: int) -> None:
    """``layers`` layers of ``width`` notes, each on two of the layer below, over a chunk of each of eight documents."""
    graph.register([Document(uri=uri, text=text, namespace="n") for uri, text in TEXTS.items()])
    records: list[Node | Answer | Claim | Citation] = []
    for number, sentence in enumerate(SENTENCES):
        read = SpanRef(uri=URIS[number], start=0, end=len(sentence), quote=sentence)
        records.append(Node(kind="chunk", namespace="n", key=f"c{number}", text=sentence, inputs=(Input(ref=read),)))
    for layer in range(layers):
        for at in range(width):
            below = [
                ("chunk", f"c{(at + step) % 8}") if layer == 0 else ("note", f"{layer - 1}-{(at + step) % width}")
                for step in (0, 1)
            ]
            inputs = tuple(Input(ref=NodeRef(kind=kind, namespace="n", key=key)) for kind, key in below)
            records.append(
                Node(kind="note", namespace="n", key=f"{layer}-{at}", text=f"note {layer} {at}", inputs=inputs)
            )
    answer = {"namespace": "n", "key": "top"}
    target = NodeRef(kind="note", namespace="n", key=f"{layers - 1}-0")
    records += [
        Answer(namespace="n", key="top", question="?", text="!"),
        Claim(answer=answer, ordinal=1, text="!"),
        Citation(claim={"answer": answer, "ordinal": 1}, order=1, marker="[1]", target=target),
    ]
    for number in range(len(URIS)):
        # An answer on each chunk: what is corrected makes the answer of its own document stale.
        mine = {"namespace": "n", "key": f"q{number}"}
        chunk = NodeRef(kind="chunk", namespace="n", key=f"c{number}")
        records += [
            Answer(namespace="n", key=f"q{number}", question="?", text="!"),
            Claim(answer=mine, ordinal=1, text="!"),
            Citation(claim={"answer": mine, "ordinal": 1}, order=1, marker="[1]", target=chunk),
        ]
    graph.register(records)


def edited(turn: int) -> str:
    """A document's text with its rule changed; every turn another."""
    return f"Rule holds for {turn + 100} days.\n\nThe rest stays.\n"


def marks(graph: LineageGraph) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]:
    """All marks as they are, and as the definition says, which looks at no mark."""

    def work(tx: Any) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]:
        ids = [id_ for ids in tx.auditing.node_ids(1000) for id_ in ids]
        views = tx.reading.views(ids)
        effects = evaluate(tx, ids) or {}
        return (
            {(mark.cause, id_): mark.severity for id_, view in views.items() for mark in view.marks},
            {(cause, id_): int(effect.severity) for cause, nodes in effects.items() for id_, effect in nodes.items()},
        )

    return graph.store.read(work)
