"""Small stores for kills and races: a document, chunks of it, and layers above them."""

from __future__ import annotations

from lineage import Answer, Citation, Claim, Document, Input, LineageGraph, Node, NodeRef, SpanRef

SENTENCES = [f"Rule {number} holds for {number + 10} days." for number in range(8)]
TEXT = "\n\n".join(SENTENCES) + "\n"
URI = "rules.md"


def build(graph: LineageGraph, layers: int, width: int) -> None:
    """``layers`` layers of ``width`` notes over eight chunks, each on two of the layer below; an answer on top."""
    graph.register([Document(uri=URI, text=TEXT, namespace="n")])
    records: list[Node | Answer | Claim | Citation] = []
    for number, sentence in enumerate(SENTENCES):
        start = TEXT.index(sentence)
        read = SpanRef(uri=URI, start=start, end=start + len(sentence), quote=sentence)
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
    graph.register(records)


def edited(text: str, turn: int) -> str:
    """The text with its first rule changed; every turn another."""
    return text.replace(text[: text.index("\n")], f"Rule 0 holds for {turn + 100} days.", 1)
