"""The report of a correction as CSV, Markdown and HTML."""

from __future__ import annotations

import csv
import io
from html import escape
from typing import Any

from lineage_cli.render.diff import word_diff

COLUMNS = (
    "correction",
    "severity",
    "namespace",
    "answer",
    "answer_id",
    "cache_key",
    "question",
    "claim",
    "claim_id",
    "claim_severity",
    "level",
    "changes",
    "path",
)


def to_csv(body: dict[str, Any]) -> str:
    """One row a claim, and one an answer that no claim of it was reached through; then spared and not excluded ones."""
    stream = io.StringIO()
    rows = csv.writer(stream, lineterminator="\n")
    rows.writerow(COLUMNS)
    correction = body["correction"]["id"]
    for answer in body["answers"]:
        head = [
            correction,
            answer["severity"],
            answer["namespace"],
            answer["key"],
            answer["id"],
            answer["cache_key"] or "",
            answer["question"] or "",
        ]
        for claim in answer["claims"] or [None]:
            if claim is None:
                rows.writerow([*head, "", "", "", "", "", "retrieved"])
                continue
            path = " > ".join(step["label"] for step in claim["path"])
            changes = " ".join(map(str, claim["changes"]))
            rows.writerow([*head, claim["text"], claim["id"], claim["severity"], claim["level"], changes, path])
    for word, each in [("cannot_exclude", e) for e in body["cannot_exclude"]] + [("spared", e) for e in body["spared"]]:
        rows.writerow([correction, word, "", each["key"], each["id"], "", "", "", "", "", "", "", each["because"]])
    return stream.getvalue()


def to_markdown(body: dict[str, Any]) -> str:
    """The whole report as a document."""
    correction = body["correction"]
    lines = [f"# Correction {correction['id']}", "", f"{_md(correction['reason'])} — {correction['state']}", ""]
    for change in body["changes"]:
        words = "" if change["old"] is None or change["new"] is None else word_diff(change["old"], change["new"], 30)
        lines.append(
            f"{change['n']}. {_md(change['uri'])} v{change['version']} [{change['start']}, {change['end']}),"
            f" {change['class']}: {_md(words)}"
        )
    lines += ["", "## Affected answers", ""]
    for answer in body["answers"]:
        lines.append(f"### {answer['severity'].upper()}: {_md(answer['key'])}")
        lines += ["", _md(answer["question"] or ""), ""]
        for claim in answer["claims"]:
            lines.append(f"- {claim['severity']}: {_md(claim['text'] or '')}")
            path = " → ".join(f"{step['kind']} {step['label']}" for step in claim["path"])
            lines.append(f"  - {_md(path)}")
        lines.append("")
    for title, name in (("Cannot be excluded", "cannot_exclude"), ("Spared", "spared")):
        lines += [f"## {title}", ""]
        lines += [f"- {_md(each['key'])}: {_md(each['because'])}" for each in body[name]] or ["None."]
        lines.append("")
    return "\n".join(lines)


def _md(text: str) -> str:
    folded = " ".join(text.split())
    for character in "\\`*_[]<>#|":
        folded = folded.replace(character, "\\" + character)
    return folded


def to_html(body: dict[str, Any]) -> str:
    """The whole report as one page without scripts or other files."""
    correction = body["correction"]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f"<title>Correction {escape(correction['id'])}</title>",
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "article{border-left:6px solid #a30000;padding:.2rem 1rem;margin:1rem 0}"
        "article.review{border-left-style:dashed}"
        "del{background:#ffd7d7}ins{background:#d3f5d3}</style></head><body>",
        f"<h1>Correction <code>{escape(correction['id'])}</code></h1>",
        f"<p>{escape(correction['reason'] or '')} — {escape(correction['state'])}</p><ol>",
    ]
    for change in body["changes"]:
        parts.append(
            f"<li>{escape(change['uri'])} v{change['version']} [{change['start']}, {change['end']}) {change['class']}:"
            f" <del>{escape(change['old'] or '')}</del> <ins>{escape(change['new'] or '')}</ins></li>"
        )
    parts.append("</ol><h2>Affected answers</h2>")
    for answer in body["answers"]:
        parts.append(f'<article class="{answer["severity"]}"><h3>{answer["severity"]}: {escape(answer["key"])}</h3>')
        parts.append(f"<p>{escape(answer['question'] or '')}</p><ul>")
        for claim in answer["claims"]:
            path = " → ".join(f"{step['kind']} {step['label']}" for step in claim["path"])
            parts.append(f"<li>{claim['severity']}: {escape(claim['text'] or '')}<br>{escape(path)}</li>")
        parts.append("</ul></article>")
    for title, name in (("Cannot be excluded", "cannot_exclude"), ("Spared", "spared")):
        rows = "".join(f"<li>{escape(each['key'])}: {escape(each['because'])}</li>" for each in body[name])
        parts.append(f"<h2>{title}</h2>" + (f"<ul>{rows}</ul>" if rows else "<p>None.</p>"))
    parts.append("</body></html>")
    return "\n".join(parts)
