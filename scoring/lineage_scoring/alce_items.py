"""The ``alce`` profile: ALCE's evaluator on a file of its items, from kept verdicts.

What is judged is ALCE's own: one premise, the cited documents with their titles, and the statement without its markers.
So its judgments have keys of their own, and those of the ``desk`` profile do not serve. As ALCE's command line does, an
output is cut at its first line, and at most three citations of a statement count unless another cap is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lineage.judgments import Judgments
from lineage_schema.errors import BadInput
from lineage_schema.judgments import JudgeId, Passage, Request
from lineage_schema.vocabulary import Verdict
from lineage_scoring.alce import AutoAIS, compute_autoais, passage
from lineage_scoring.asking import Asked
from lineage_scoring.markers import cited, claim, first_line, list_statements, sentences
from lineage_scoring.verdicts import Lack, gather, missing

SOURCE: Final = "alce"
PURPOSE: Final = "alce"


def items_of(text: str) -> list[dict[str, Any]]:
    """The items of one of ALCE's result files: a list, or an object with ``data``. Outputs are cut at the first line.

    Raises :class:`BadInput` for a file in another form.
    """
    try:
        said = json.loads(text)
    except ValueError as error:
        raise BadInput("items", "file", found=text[:60], expected=f"JSON ({error})") from None
    listed = said.get("data") if isinstance(said, dict) else said
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise BadInput("items", "data", found=type(listed).__name__, expected="a list of objects")
    return [
        {**item, "output": first_line(item["output"])} if isinstance(item.get("output"), str) else item
        for item in listed
    ]


def asked(items: Sequence[Mapping[str, Any]], *, at_most_citations: int | None, qampari: bool) -> list[Asked]:
    """All that ALCE's rules can ask of the items, whatever the verdicts are: each question once.

    Raises :class:`BadInput` for items in another form.
    """
    # Nothing is asked on what no verdict is given: this only looks whether the items can be read.
    compute_autoais(items, lambda premise, hypothesis: False, at_most_citations=at_most_citations, qampari=qampari)
    found: dict[Request, None] = {}
    for item in items:
        passages = [passage(doc["title"], doc["sent"] if "sent" in doc else doc["text"]) for doc in item["docs"]]
        output = item["output"]
        for statement in list_statements(item["question"], output) if qampari else sentences(output):
            named = cited(statement)
            if not named or any(document >= len(passages) for document in named):
                continue
            for documents in _sets(named if at_most_citations is None else named[:at_most_citations]):
                premise = "\n".join(passages[document] for document in documents)
                found.setdefault(_request(premise, claim(statement)))
    return [Asked(request, PURPOSE, "", "", (SOURCE,)) for request in found]


def _sets(counted: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The whole set, and of several documents each alone, and the others without the first mention of it."""
    if not counted:
        return
    yield counted
    for one in counted if len(counted) > 1 else ():
        at = counted.index(one)
        yield (one,)
        yield counted[:at] + counted[at + 1 :]


def evaluate(
    judgments: Judgments,
    judge: JudgeId,
    items: Sequence[Mapping[str, Any]],
    *,
    at_most_citations: int | None,
    qampari: bool,
) -> AutoAIS:
    """ALCE's figures from a judge's kept verdicts.

    Raises :class:`MissingJudgment` with every request that its rules ask and that has no verdict, or an unresolved one.
    """
    requests = [each.request for each in asked(items, at_most_citations=at_most_citations, qampari=qampari)]
    verdicts = gather(judgments, judge, requests)
    lacks: dict[str, Lack] = {}

    def entails(premise: str, hypothesis: str) -> bool:
        request = _request(premise, hypothesis)
        verdict = verdicts.decided(request)
        if verdict is None:
            key = judge.key(request)
            why = verdicts.why(request) or "missing"
            lacks[key] = Lack(why, hypothesis, (premise[:40],), "", "", PURPOSE, key)
        return verdict is Verdict.SUPPORTED

    result = compute_autoais(items, entails, at_most_citations=at_most_citations, qampari=qampari)
    if lacks:
        raise missing(list(lacks.values()), judge)
    return result


def _request(premise: str, hypothesis: str) -> Request:
    return Request(hypothesis, (Passage(premise, SOURCE),))
