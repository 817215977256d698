"""Labelled examples: statements, passages, and what people say of them. JSON Lines, one object a line.

``{"statement": …, "passages": [text, …], "label": supported | not_supported | contradicted, "category"?: …, "id"?: …}``
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput
from lineage_schema.identity import content_hash
from lineage_schema.judgments import Passage, Request
from lineage_schema.vocabulary import Verdict
from lineage_scoring.lines import objects

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


def labels_of(lines: Iterable[str], file: str | None = None) -> list[Labelled]:
    """The examples that lines give. Raises :class:`BadInput`, naming file, line and field."""
    found: list[Labelled] = []
    names: set[str] = set()
    asked: dict[tuple[str, frozenset[str]], str] = {}
    for line in objects(lines, file):
        line.only(FIELDS)
        given, kind, category, why = (line.optional(field) for field in ("id", "kind", "category", "why"))
        statement, passages = line.text("statement", "a statement"), line.texts("passages")
        label = line.said.get("label")
        if label not in (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED):
            raise line.refused("label", "supported, not_supported or contradicted")
        name = given or f"line {line.number}"
        if name in names:
            raise line.refused("id", "each id once")
        names.add(name)
        first = asked.setdefault((statement, frozenset(passages)), name)
        if first != name:
            raise line.refused("statement", f"each example once; {first} asks the same")
        request = Request(statement, tuple(Passage(text, "label") for text in passages))
        found.append(Labelled(name, request, Verdict(label), category, kind, why))
    if not found:
        raise BadInput(file or "labels", "lines", found=0, expected="at least one labelled example")
    return found


def builtin() -> list[Labelled]:
    """The evaluation set that comes with the package."""
    text = resources.files("lineage_scoring.evaluation").joinpath("cases.jsonl").read_text(encoding="utf-8")
    return labels_of(text.split("\n"))


def digest(labels: Sequence[Labelled]) -> str:
    """sha256 of what was labelled and how, in any order."""
    rows = sorted(canonical_json([each.request.asked, each.label.value], item="labels") for each in labels)
    return content_hash("\n".join(rows))
