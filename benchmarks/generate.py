"""A generated graph, registered through the public API: the same one for the same scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lineage import LineageGraph

PARAGRAPHS = 20
BATCH = 20_000


def texts(documents: int) -> Iterator[tuple[str, str]]:
    """(uri, text) of documents with twenty paragraphs each."""
    for number in range(documents):
        parts = [
            f"Document {number} paragraph {at} says that rule {at * 7} holds for {number} days."
            for at in range(PARAGRAPHS)
        ]
        yield f"d{number}.md", "\n\n".join(parts) + "\n"


def records(documents: int) -> Iterator[dict[str, Any]]:
    """Chunks, three summary levels, entities, relationships, reports, claims and answers over the documents."""

    def node(kind: str, key: Any, text: str, refs: list[Any], role: str = "evidence", **more: Any) -> dict[str, Any]:
        inputs = [{"ref": ref, "role": role} for ref in refs]
        return {"type": "node", "kind": kind, "namespace": "b", "key": key, "text": text, "inputs": inputs, **more}

    def ref(kind: str, key: Any) -> dict[str, Any]:
        return {"kind": kind, "namespace": "b", "key": key}

    for number, (uri, text) in enumerate(texts(documents)):
        at = 0
        for place, part in enumerate(text.strip().split("\n\n")):
            start = text.index(part, at)
            at = start + len(part)
            yield node("chunk", [uri, str(place)], part, [{"uri": uri, "start": start, "end": at, "quote": part}])
        chunk = [ref("chunk", [uri, str(place)]) for place in range(PARAGRAPHS)]
        for group in range(4):
            below = chunk[group * 5 : group * 5 + 5]
            yield node("summary", ["1", uri, str(group)], f"s1 {uri} {group}", below, "child", attributes={"level": 1})
        lower = [ref("summary", ["1", uri, str(group)]) for group in range(4)]
        yield node("summary", ["2", uri], f"s2 {uri}", lower, "child", attributes={"level": 2})
        for each in range(10):
            yield node("entity", f"{uri} E{each}", f"e {uri} {each}", [chunk[(each * step) % 20] for step in (1, 2, 3)])
        for each in range(5):
            ends = [{"ref": ref("entity", f"{uri} E{each + end}"), "role": "endpoint"} for end in (0, 1)]
            made = node(
                "relationship",
                [f"{uri} E{each}", f"{uri} E{each + 1}"],
                f"r {uri} {each}",
                [chunk[each], chunk[each + 9]],
            )
            yield {**made, "inputs": [*made["inputs"], *ends]}
        entities = [ref("entity", f"{uri} E{each}") for each in range(10)]
        yield node("report", uri, f"report {uri}", [*entities, *chunk[:3]], attributes={"level": 0})
        for each in range(2):
            answer = {"namespace": "b", "key": f"{uri} q{each}"}
            yield {
                "type": "answer",
                **answer,
                "question": f"q {uri} {each}",
                "text": f"a {uri} {each}",
                "cache_key": f"k{number}-{each}",
            }
            for ordinal in (1, 2):
                claim = {"answer": answer, "ordinal": ordinal}
                yield {"type": "claim", **claim, "text": f"c {uri} {each} {ordinal}"}
                target = ref("report", uri) if ordinal == 1 else ref("summary", ["2", uri])
                yield {"type": "citation", "claim": claim, "order": 1, "marker": "[1]", "target": target}
        if number % 10 == 9:
            pages = [ref("summary", ["2", f"d{number - back}.md"]) for back in range(10)]
            yield node(
                "summary", ["3", str(number // 10)], f"s3 {number // 10}", pages, "child", attributes={"level": 3}
            )


def fill(graph: LineageGraph, documents: int) -> None:
    """Registers the whole graph in batches."""
    batch: list[dict[str, Any]] = []
    for uri, text in texts(documents):
        batch.append({"type": "document", "uri": uri, "text": text, "namespace": "b"})
    graph.register(batch)
    run = graph.run("b", producer="benchmark", key="fill")
    batch = []
    for record in records(documents):
        # A claim and its answer belong together: a batch is cut only between documents.
        if len(batch) >= BATCH and record["type"] == "node" and record["kind"] == "chunk" and record["key"][1] == "0":
            run.register(batch)
            batch = []
        batch.append(record)
    run.register(batch)
    run.finish()
