"""Labelled examples: statements, passages, and what people say of them. JSON Lines, one object a line.

``{"statement": …, "passages": [text, …], "label": supported | not_supported | contradicted, "category"?: …, "id"?: …}``
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput
from lineage_schema.identity import content_hash
from lineage_schema.judgments import Passage, Request
from lineage_schema.vocabulary import Verdict

FIELDS = frozenset({"id", "kind", "statement", "passages", "label", "category", "why"})


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled example. ``why`` is what a reader checks the label by."""

    name: str
    request: Request
    label: Verdict
    category: str | None
    kind: str | None = None
    why: str | None = None


def labels_of(lines: Iterable[str]) -> list[Labelled]:
    """The examples that lines give. Raises :class:`BadInput`, naming line and field, what was found and expected."""
    found: list[Labelled] = []
    names: set[str] = set()
    asked: dict[tuple[str, frozenset[str]], str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        item = f"line {number}"
        try:
            said = json.loads(line)
        except ValueError as error:
            raise BadInput(item, "line", found=line, expected=f"a JSON object ({error})") from None
        if not isinstance(said, dict):
            raise BadInput(item, "line", found=line, expected="a JSON object")
        for field in sorted(said.keys() - FIELDS):
            raise BadInput(item, field, found=said[field], expected=f"only {', '.join(sorted(FIELDS))}")
        for field in ("id", "kind", "category", "why"):
            if said.get(field) is not None and not isinstance(said[field], str):
                raise BadInput(item, field, found=said[field], expected="text")
        statement, passages, label = said.get("statement"), said.get("passages"), said.get("label")
        if not isinstance(statement, str) or not statement:
            raise BadInput(item, "statement", found=statement, expected="a statement")
        if not isinstance(passages, list) or not passages or not all(isinstance(p, str) and p for p in passages):
            raise BadInput(item, "passages", found=passages, expected="a list of texts, at least one")
        if label not in (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED):
            raise BadInput(item, "label", found=label, expected="supported, not_supported or contradicted")
        name = said.get("id") or item
        if name in names:
            raise BadInput(item, "id", found=name, expected="each id once")
        names.add(name)
        first = asked.setdefault((statement, frozenset(passages)), name)
        if first != name:
            raise BadInput(item, "statement", found=statement, expected=f"each example once; {first} asks the same")
        request = Request(statement, tuple(Passage(text, "label") for text in passages))
        found.append(Labelled(name, request, Verdict(label), said.get("category"), said.get("kind"), said.get("why")))
    if not found:
        raise BadInput("labels", "lines", found=0, expected="at least one labelled example")
    return found


def builtin() -> list[Labelled]:
    """The evaluation set that comes with the package."""
    text = resources.files("lineage_scoring.evaluation").joinpath("cases.jsonl").read_text(encoding="utf-8")
    return labels_of(text.split("\n"))


def digest(labels: Sequence[Labelled]) -> str:
    """sha256 of what was labelled and how, in any order."""
    rows = sorted(canonical_json([each.request.asked, each.label.value], item="labels") for each in labels)
    return content_hash("\n".join(rows))
