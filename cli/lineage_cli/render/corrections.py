"""Corrections, a line each: all of them, or those that are open."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from lineage_cli.output import STATUS_STYLE, Line, say, table, terminal
from lineage_cli.render.affected_html import HEAD
from lineage_cli.render.affected_md import escaped
from lineage_cli.render.lines import fold

COLUMNS = ("correction", "state", "pending", "invalid", "review", "documents", "reason", "by", "at")
NAMED = 2


def show(found: Sequence[dict[str, Any]]) -> None:
    """Prints them: a table on a terminal, a line each elsewhere."""
    if terminal():
        rows = [
            [
                Line(each["id"]),
                Line(state := each["state"], STATUS_STYLE[state]),
                Line(_answers(each)),
                Line(_what(each)),
            ]
            for each in found
        ]
        table(("correction", "state", "answers", "documents and reason"), rows)
        return
    for each in found:
        say(line(each))


def line(each: dict[str, Any]) -> str:
    """One correction."""
    return f"{each['id']}  {each['state']:<11}  {_answers(each)}  {_what(each)}"


def to_csv(found: Sequence[dict[str, Any]]) -> str:
    """A row each; the documents' uris are separated by blanks."""
    stream = io.StringIO()
    rows = csv.writer(stream, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(_row(each) for each in found)
    return stream.getvalue()


def to_markdown(found: Sequence[dict[str, Any]]) -> str:
    """A table."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(escaped(str(cell)) for cell in _row(each))} |" for each in found]
    return "\n".join(lines)


def to_html(found: Sequence[dict[str, Any]]) -> str:
    """A page with a table."""
    from html import escape

    head = "".join(f"<th>{column}</th>" for column in COLUMNS)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in _row(each))}</tr>" for each in found)
    return f"{HEAD.format(id='list')}<h1>Open corrections</h1><table><tr>{head}</tr>{rows}</table></body></html>"


def _row(each: dict[str, Any]) -> list[Any]:
    return [
        each["id"],
        each["state"],
        each["pending"],
        each["answers"].get("invalid", 0),
        each["answers"].get("review", 0),
        " ".join(document["uri"] for document in each["documents"]),
        each["reason"],
        each["by"] or "",
        each["at"],
    ]


def _answers(each: dict[str, Any]) -> str:
    return ", ".join(f"{count} {word}" for word, count in each["answers"].items()) or "no answers"


def _what(each: dict[str, Any]) -> str:
    documents = each["documents"]
    names = ", ".join(
        f"{document['uri']} v{document['from_version']}→{_to(document)}" for document in documents[:NAMED]
    )
    more = f" and {len(documents) - NAMED} more" if len(documents) > NAMED else ""
    return f"{names}{more}  {fold(each['reason'])!r}"


def _to(document: dict[str, Any]) -> str:
    return "withdrawn" if document["to_version"] is None else f"v{document['to_version']}"
