"""How a node is called in reports and pictures."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.stores.base import NodeView, SpanRow
from lineage_schema.identity import parse_key
from lineage_schema.vocabulary import Kind

FIRST = 60


def label(view: NodeView, spans: Mapping[str, SpanRow]) -> str:
    """A title; ``SOURCE → TARGET``; ``uri vN [s, e)``; else the first 60 code points with white space folded."""
    if view.kind == Kind.SPAN:
        row = spans[view.id]
        return f"{row.uri} v{row.version} [{row.start}, {row.end})"
    if view.title:
        return view.title
    key = parse_key(view.key)
    if view.kind == Kind.RELATIONSHIP and not isinstance(key, str):
        return " → ".join(key)
    text = " ".join((view.text or "").split())
    if not text:
        return view.key
    return text if len(text) <= FIRST else text[:FIRST] + "…"


def order(view: NodeView) -> tuple[str, str, str, str]:
    """The order of nodes in everything that is printed: kind, namespace, key, id."""
    return view.kind, view.namespace, view.key, view.id
