"""The report of a correction as one page, without scripts or other files."""

from __future__ import annotations

from html import escape
from typing import Any

from lineage_cli.output import visible
from lineage_cli.render.affected import documents_text
from lineage_cli.render.lines import plural

# Severity is a word and a kind of line: never a colour alone.
HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>Correction {id}</title>'
    "<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}"
    "article{{border-left:6px solid #a30000;padding:.2rem 1rem;margin:1rem 0}}"
    "article.review{{border-left-style:dashed}}code{{overflow-wrap:anywhere}}"
    "del{{background:#ffd7d7}}ins{{background:#d3f5d3}}</style></head><body>"
)


def render(body: dict[str, Any]) -> str:
    """The whole report."""
    correction = body["correction"]
    by = f", by {_text(correction['by'])}" if correction["by"] else ""
    parts = [
        HEAD.format(id=_text(correction["id"])),
        f"<h1>Correction <code>{_text(correction['id'])}</code></h1>",
        f"<p>{_text(documents_text(correction, most=len(correction['documents'])))}</p>",
        f"<p>{_text(correction['reason'])} — {_text(correction['at'][:19])}Z{by}, {_text(correction['state'])}</p>",
        "<h2>Changes</h2><ol>",
    ]
    for change in body["changes"]:
        section = f" § {_text(change['section'])}" if change["section"] else ""
        parts.append(
            f'<li value="{change["n"]}">{_text(change["uri"])} v{change["version"]}'
            f" [{change['start']}, {change['end']}){section} {_text(change['class'])}:"
            f" <del>{_text(change['old'])}</del> <ins>{_text(change['new'])}</ins></li>"
        )
    parts.append("</ol><h2>Affected answers</h2>")
    parts += [_answer(answer) for answer in body["answers"]] or ["<p>None.</p>"]
    spared = "Not reached so far" if correction["state"] == "propagating" else "Spared"
    for title, listed in (("Cannot be excluded", body["cannot_exclude"]), (spared, body["spared"])):
        rows = "".join(f"<li>{_text(each['key'])}: {_text(each['because'])}</li>" for each in listed)
        parts.append(f"<h2>{title}</h2>" + (f"<ul>{rows}</ul>" if rows else "<p>None.</p>"))
    parts.append("</body></html>")
    return "\n".join(parts)


def _answer(answer: dict[str, Any]) -> str:
    ended, under = answer["share"]
    severity = _text(answer["severity"])
    cache = f", cache key <code>{_text(answer['cache_key'])}</code>" if answer["cache_key"] else ""
    rows = []
    for claim in answer["claims"]:
        path = " → ".join(f"{step['kind']} {step['label']}" for step in claim["path"])
        more = f" (+{plural(claim['more_paths'], 'path')})" if claim["more_paths"] else ""
        numbers = ", ".join(map(str, claim["changes"]))
        rows.append(
            f"<li>{_text(claim['severity'])}: {_text(claim['text'])} (change {numbers})<br>{_text(path)}{more}</li>"
        )
    if not rows:
        rows.append("<li>what was retrieved for it changed; none of its claims cites it</li>")
    return (
        f'<article class="{severity}"><h3>{severity}: {_text(answer["key"])}</h3>'
        f"<p>{_text(answer['question'])}</p><p>{ended} of {plural(under, 'span')} changed{cache}</p>"
        f"<ul>{''.join(rows)}</ul></article>"
    )


def _text(text: str | None) -> str:
    return escape(visible(text or ""))
