"""``find`` and ``corrections``: looking things up."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from lineage.refs import describe
from lineage.trace import status
from lineage_cli.app import Json, command, opened
from lineage_cli.output import STATUS_STYLE, as_json, note, say, styled


@command("find")
def find(
    text: Annotated[str, typer.Argument(help="Part of a text, title, key or alias.", show_default=False)],
    kind: Annotated[str | None, typer.Option("--kind", help="Only nodes of this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    as_json_: Json = False,
) -> None:
    """Find nodes by their text, title, key or alias.

    Example: lineage find "30 days" --kind claim
    """
    with opened(read_only=True) as graph:
        found = graph.find(text, kind=kind, limit=limit + 1)
    shown = found[:limit]
    if as_json_:
        as_json({"nodes": [asdict(view) for view in shown], "truncated": len(found) > limit})
        return
    for view in shown:
        word = status(view)
        body = " ".join((view.title or view.text or "").split())
        styled(f"{describe(view)}   {word.upper()}   {body[:80]!r}", STATUS_STYLE[word] if word != "fresh" else "")
    if len(found) > limit:
        note(f"more than {limit} match: --limit N shows more")
    elif not found:
        note("nothing matches")


@command("corrections")
def corrections(as_json_: Json = False) -> None:
    """List all corrections with their state.

    Example: lineage corrections
    """
    with opened(read_only=True) as graph:
        found = graph.corrections()
    if as_json_:
        as_json([each.to_json() for each in found])
        return
    for each in found:
        say(correction_line(each.to_json()))
    if not found:
        note("no corrections yet")


def correction_line(body: dict[str, object]) -> str:
    """One correction as a line."""
    documents = body["documents"]
    assert isinstance(documents, list)
    names = ", ".join(f"{each['uri']} v{each['from_version']}→{_to(each)}" for each in documents[:2])
    more = f" and {len(documents) - 2} more" if len(documents) > 2 else ""
    answers = body["answers"]
    assert isinstance(answers, dict)
    counts = ", ".join(f"{count} {word}" for word, count in answers.items()) or "no answers"
    return f"{body['id']}  {body['state']:<11}  {counts}  {names}{more}  {body['reason']!r}"


def _to(document: dict[str, object]) -> str:
    return "withdrawn" if document["to_version"] is None else f"v{document['to_version']}"
