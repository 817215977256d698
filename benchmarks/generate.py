"""Generated graphs as recorded forms: for the same arguments the same graph, text for text.

A graph is made document by document. Each has spans, chunks and three summary levels of its own; entities,
relationships, reports and answers that draw on it also draw on earlier documents, chosen at random, so that a
correction spreads beyond what it edits. At scale 1 there are 10,000 documents: about 1.2 million nodes and
3.1 million edges.

The hot graph is a small one of that kind with one passage more, on which thousands of nodes rest.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from lineage_schema.identity import content_hash

Form = dict[str, Any]

DOCUMENTS = 10_000
"""At scale 1."""
GROUP = 10
"""Documents under one summary of the third level and one upper report."""
PARAGRAPHS, ENTITIES, RELATIONSHIPS, ANSWERS = 24, 14, 18, 7
NAMESPACE = "benchmark"

HOT_DOCUMENTS = 422
HOT_URI = "hot.md"
HOT_ENTITIES, HOT_RELATIONSHIPS, HOT_REPORTS, HOT_ANSWERS, HOT_CLAIMS = 300, 1000, 200, 834, 2502
HOT_REACH = 2 + HOT_ENTITIES + HOT_RELATIONSHIPS + HOT_REPORTS + HOT_ANSWERS + HOT_CLAIMS
"""The hot span and chunk, and all that rests on them: 4,838."""

BEFORE, AFTER = "holds for", "is kept for"
"""The words that a correction replaces: they stand in every paragraph once."""

_GOODS = (
    "books cables chairs clocks glasses ladders lamps maps pens pumps ropes shelves tables tents tools wheels".split()
)


def uri(number: int) -> str:
    """The uri of a document."""
    return f"archive/document-{number:05}.md"


def paragraph(number: int, place: int) -> str:
    """One paragraph, as no other document has it."""
    goods = _GOODS[(number * 7 + place) % len(_GOODS)]
    return (
        f"Section {place + 1} of document {number} says that the rule about {goods} {BEFORE} {number % 360 + 1} days "
        f"after delivery. It was agreed by team {number % 97} and applies to orders from region {place % 13} alone."
    )


def text(number: int) -> str:
    """The text of a document."""
    return "\n\n".join(paragraph(number, place) for place in range(PARAGRAPHS)) + "\n"


def document(number: int) -> Form:
    """A document as a recorded form."""
    return {"type": "document", "uri": uri(number), "text": text(number), "namespace": NAMESPACE}


def named(kind: str, key: Any) -> Form:
    """A reference by name."""
    return {"kind": kind, "namespace": NAMESPACE, "key": key}


def chunk_of(number: int, place: int) -> Form:
    """A reference to a chunk, by its natural key: uri, hash of its text, occurrence."""
    return named("chunk", [uri(number), content_hash(paragraph(number, place)), "1"])


def entity_of(number: int, which: int) -> Form:
    """A reference to an entity by its title."""
    return named("entity", f"ENTITY {which} OF {number}")


def relationship_of(number: int, which: int) -> Form:
    """A reference to a relationship by its endpoints."""
    return named("relationship", [entity_of(number, which % ENTITIES)["key"], entity_of(number, which + 1)["key"]])


def report_of(number: int) -> Form:
    """A reference to the report about a document's entities."""
    return named("report", f"community {number}")


def summary_of(level: int, *place: int) -> Form:
    """A reference to a summary; its key stands for the hash of its children's keys."""
    return named("summary", [str(level), content_hash("/".join(map(str, place)))])


def node(name: Form, text: str, inputs: list[tuple[str, Form]], **more: Any) -> Form:
    """A node form."""
    return {
        "type": "node",
        **name,
        "text": text,
        "inputs": [{"ref": ref, "role": role} for role, ref in inputs],
        **more,
    }


def records(number: int) -> Iterator[Form]:
    """All that is derived when document ``number`` is indexed; it refers to earlier documents only."""
    chance = random.Random(f"document {number}")

    def other() -> int:
        return chance.randrange(number + 1)

    def any_chunk() -> Form:
        return chunk_of(other(), chance.randrange(PARAGRAPHS))

    own = [chunk_of(number, place) for place in range(PARAGRAPHS)]
    yield from _chunks(number, own)
    yield from _summaries(number, own)
    for which in range(ENTITIES):
        read = [*chance.sample(own, 3), any_chunk(), any_chunk(), any_chunk()]
        yield node(
            entity_of(number, which),
            f"Entity {which} of document {number}, as {len(read)} passages describe it.",
            [("evidence", ref) for ref in read],
        )
    for which in range(RELATIONSHIPS):
        ends = [("endpoint", entity_of(number, which % ENTITIES)), ("endpoint", entity_of(other(), which % ENTITIES))]
        read = [*chance.sample(own, 2), any_chunk()]
        yield node(
            relationship_of(number, which),
            f"Relationship {which} of document {number} was stated in {len(read)} passages.",
            [*ends, *(("evidence", ref) for ref in read)],
        )
    members = [entity_of(number, which) for which in chance.sample(range(ENTITIES), 8)]
    members += [relationship_of(number, which) for which in chance.sample(range(RELATIONSHIPS), 8)]
    yield node(
        report_of(number),
        f"Report {number}: what is said about the goods of document {number}, their rules and who agreed on them.",
        [("evidence", ref) for ref in members],
        attributes={"level": 0},
    )
    if number % GROUP == GROUP - 1:
        lower = [report_of(each) for each in range(number - GROUP + 1, number + 1)]
        yield node(
            named("report", f"community of {number - GROUP + 1} to {number}"),
            f"Upper report over {GROUP} reports up to {number}.",
            [("child", ref) for ref in lower],
            attributes={"level": 1},
        )
    for which in range(ANSWERS):
        cited = [
            summary_of(2, number),
            entity_of(number, which),
            relationship_of(other(), which),
            any_chunk(),
        ]
        yield from answer(
            f"answer {number}-{which}",
            [[report_of(other())]] * 3 + [[cited[which % 4], relationship_of(number, which)]],
            [own[which]] if which == 0 else [],
        )


def _chunks(number: int, own: list[Form]) -> Iterator[Form]:
    at = 0
    for place, name in enumerate(own):
        part = paragraph(number, place)
        read = {"uri": uri(number), "start": at, "end": at + len(part), "quote": part}
        at += len(part) + 2
        yield node(name, part, [("evidence", read)])


def _summaries(number: int, own: list[Form]) -> Iterator[Form]:
    lower = [summary_of(1, number, part) for part in range(4)]
    for part, name in enumerate(lower):
        children = own[part * 6 : part * 6 + 6]
        yield node(
            name,
            f"Summary of part {part} of document {number}: rules about goods, and for how long they hold.",
            [("child", ref) for ref in children],
            attributes={"level": 1},
        )
    yield node(
        summary_of(2, number),
        f"Summary of document {number}: its four parts and the goods that they speak of.",
        [("child", ref) for ref in lower],
        attributes={"level": 2},
    )
    if number % GROUP == GROUP - 1:
        pages = [summary_of(2, each) for each in range(number - GROUP + 1, number + 1)]
        yield node(
            summary_of(3, number),
            f"Summary of {GROUP} documents up to {number}.",
            [("child", ref) for ref in pages],
            attributes={"level": 3},
        )


def answer(key: str, cited: list[list[Form]], context: list[Form]) -> Iterator[Form]:
    """An answer with a claim for each member of ``cited``, which cites what that lists.

    What was retrieved is what is cited and ``context``; where that is empty, nothing is known of it.
    """
    name = {"namespace": NAMESPACE, "key": key}
    yield {
        "type": "answer",
        **name,
        "question": f"For how long do the rules hold that {key} speaks of?",
        "text": f"They hold as {key} says [1].",
        "cache_key": f"cache {key}",
    }
    if context:
        for ref in [*(ref for targets in cited for ref in targets), *context]:
            yield {"type": "retrieved", "answer": name, "target": ref}
    for ordinal, targets in enumerate(cited, 1):
        yield {"type": "claim", "answer": name, "ordinal": ordinal, "text": f"Claim {ordinal} of {key} about a rule."}
        for order, target in enumerate(targets, 1):
            claim = {"answer": name, "ordinal": ordinal}
            yield {"type": "citation", "claim": claim, "order": order, "marker": f"[{order}]", "target": target}


def hot_records() -> Iterator[Form]:
    """One passage, read by one chunk, on which a whole index rests; its document comes first."""
    chance = random.Random("hot")
    body = "Whoever returns an item pays for the way back. Nothing else is said here."
    yield {"type": "document", "uri": HOT_URI, "text": body, "namespace": NAMESPACE}
    hot = named("chunk", [HOT_URI, content_hash(body), "1"])
    yield node(hot, body, [("evidence", {"uri": HOT_URI, "start": 0, "end": len(body), "quote": body})])

    def cold(count: int) -> list[Form]:
        return [chunk_of(chance.randrange(HOT_DOCUMENTS), chance.randrange(PARAGRAPHS)) for _ in range(count)]

    entities = [named("entity", f"HOT {which}") for which in range(HOT_ENTITIES)]
    for name in entities:
        yield node(name, f"{name['key']} is returned.", [("evidence", ref) for ref in [hot, *cold(8)]])
    relationships = [named("relationship", [f"HOT {n % HOT_ENTITIES}", f"R {n}"]) for n in range(HOT_RELATIONSHIPS)]
    for name in relationships:
        ends = [("endpoint", ref) for ref in chance.sample(entities, 2)]
        yield node(name, f"{name['key'][1]} is paid for.", [*ends, *(("evidence", ref) for ref in [hot, *cold(8)])])
    reports = [named("report", f"hot community {which}") for which in range(HOT_REPORTS)]
    for which, name in enumerate(reports):
        members = [*chance.sample(entities, 8), *chance.sample(relationships, 8), *cold(24)]
        lower = [("child", ref) for ref in reports[max(0, which - 2) : which]]
        inputs = [*(("evidence", ref) for ref in members), *lower]
        yield node(name, f"Hot report {which}.", inputs, attributes={"level": 0})
    for which in range(HOT_ANSWERS):
        cited = [
            [reports[(which + step) % HOT_REPORTS], relationships[(which * 3 + step) % HOT_RELATIONSHIPS], *cold(1)]
            for step in range(3)
        ]
        yield from answer(f"hot answer {which}", cited, cold(3))


def batches(documents: int, *, hot: bool = False, size: int = 50_000) -> Iterator[list[Form]]:
    """The graph as lists of about ``size`` forms, cut between documents."""
    batch: list[Form] = []
    for number in range(documents):
        batch.append(document(number))
        batch.extend(records(number))
        if len(batch) >= size:
            yield batch
            batch = []
    if hot:
        batch.extend(hot_records())
    yield batch


def edited(number: int) -> str:
    """A document's text after a correction that touches every paragraph."""
    return text(number).replace(BEFORE, AFTER)


def chosen(documents: int, count: int) -> list[int]:
    """Documents to correct: the same for the same arguments, spread over all."""
    return sorted(random.Random("corrected").sample(range(documents), min(count, documents)))
