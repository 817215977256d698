"""Scores from kept verdicts: 1,000 answers in a store, and the arithmetic alone.

Each of an answer's four statements cites a passage and a chunk. Verdicts are drawn at random, half of each kind.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.generate import PARAGRAPHS, Form, answer, chunk_of, document, paragraph, records, uri
from benchmarks.table import Table, median_of
from lineage import LineageGraph
from lineage_schema.judgments import Judgment
from lineage_schema.vocabulary import Verdict
from lineage_scoring.score import requests_of, score
from lineage_scoring.support import Share, means, support
from lineage_scoring.verdicts import RECORDED

DOCUMENTS, ANSWERS, CLAIMS, CITATIONS = 100, 1_000, 4, 2
STATEMENTS = 20_000
"""Of the arithmetic alone."""


def measure(table: Table, folder: Path) -> None:
    """The rows about scores."""
    chance = random.Random("arithmetic")
    verdicts = [{members: chance.random() < 0.5 for members in ((0, 1), (0,), (1,))} for _ in range(STATEMENTS)]
    rate = STATEMENTS / statistics.median(_seconds(verdicts) for _ in range(5))
    table.row("arithmetic alone, statements a second of processor", f"{rate:,.0f}", rate, 100_000, least=True)
    path = folder / "scored.db"
    if not path.exists():
        _fill(path)
    with LineageGraph.open(f"sqlite:///{path}", read_only=True) as graph:
        answers = graph.answers()
        result = score(graph, answers, RECORDED)
        counted = result.recall.micro.denominator, result.precision.micro.denominator
        if counted != (ANSWERS * CLAIMS, ANSWERS * CLAIMS * CITATIONS):
            raise AssertionError(f"statements and citations counted: {counted}")
        seconds = median_of(lambda: score(graph, answers, RECORDED), 3)
    table.row(f"score of {ANSWERS:,} answers × {CLAIMS} × {CITATIONS} from verdicts, s", f"{seconds:.2f}", seconds, 5)


def _seconds(verdicts: list[dict[tuple[int, ...], bool]]) -> float:
    """Of the processor: nothing is read or waited for, so what else the machine does is left out."""
    begin = time.process_time()
    _counted(verdicts)
    return time.process_time() - begin


def _counted(verdicts: list[dict[tuple[int, ...], bool]]) -> None:
    """Recall and precision of answers of four statements each, and their means."""
    found = [support(CITATIONS, each.__getitem__) for each in verdicts]
    answers = [found[begin : begin + CLAIMS] for begin in range(0, len(found), CLAIMS)]
    means(Share(sum(each.supported for each in listed), len(listed)) for listed in answers)
    means(Share(sum(each.precise for each in listed), CITATIONS * len(listed)) for listed in answers)


def _fill(path: Path) -> None:
    with LineageGraph.open(f"sqlite:///{path}", create=True) as graph:
        graph.register(_forms())
        chance = random.Random("verdicts")
        words = [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]
        asked = requests_of(graph, graph.answers())
        graph.judgments.keep([Judgment.of(each.request, RECORDED, chance.choice(words)) for each in asked])


def _forms() -> Iterator[Form]:
    for number in range(DOCUMENTS):
        yield document(number)
        yield from (form for form in records(number) if form["type"] == "node")
    chance = random.Random("answers")
    for number in range(ANSWERS):
        cited = [[_passage(chance), chunk_of(chance.randrange(DOCUMENTS), chance.randrange(PARAGRAPHS))]
                 for _ in range(CLAIMS)]  # fmt: skip
        yield from answer(f"answer {number}", cited, [])


def _passage(chance: random.Random) -> Form:
    number, place = chance.randrange(DOCUMENTS), chance.randrange(PARAGRAPHS)
    begin = sum(len(paragraph(number, before)) + 2 for before in range(place))
    part = paragraph(number, place)
    return {"uri": uri(number), "start": begin, "end": begin + len(part), "quote": part}
