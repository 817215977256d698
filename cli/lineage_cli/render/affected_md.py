"""The report of a correction as Markdown: for tickets and reviews."""

from __future__ import annotations

from typing import Any

from lineage_cli.output import visible
from lineage_cli.render.affected import change_text, documents_text
from lineage_cli.render.lines import fold, plural


def render(body: dict[str, Any]) -> str:
    """The whole report as a document."""
    correction = body["correction"]
    by = f", by {escaped(correction['by'])}" if correction["by"] else ""
    lines = [
        f"# Correction {correction['id']}",
        "",
        f"{escaped(documents_text(correction, most=len(correction['documents'])))}",
        "",
        f"{escaped(correction['reason'])} — {correction['at'][:19]}Z{by}, {correction['state']}",
        "",
        "## Changes",
        "",
    ]
    for change in body["changes"]:
        section = f" § {escaped(change['section'])}" if change["section"] else ""
        lines.append(
            f"{change['n']}. {escaped(change['uri'])} v{change['version']} [{change['start']}, {change['end']})"
            f"{section}, {change['class']}: {escaped(change_text(change, 30))}"
        )
    lines += ["", "## Affected answers", ""]
    for answer in body["answers"]:
        lines += _answer(answer)
    if not body["answers"]:
        lines += ["None.", ""]
    spared = "Not reached so far" if correction["state"] == "propagating" else "Spared"
    for title, listed in (("Cannot be excluded", body["cannot_exclude"]), (spared, body["spared"])):
        lines += [f"## {title}", ""]
        lines += [f"- {escaped(each['key'])}: {escaped(each['because'])}" for each in listed] or ["None."]
        lines.append("")
    return "\n".join(lines)


def _answer(answer: dict[str, Any]) -> list[str]:
    ended, under = answer["share"]
    cache = f", cache key {escaped(answer['cache_key'])}" if answer["cache_key"] else ""
    lines = [
        f"### {answer['severity'].upper()}: {escaped(answer['key'])}",
        "",
        escaped(answer["question"]),
        "",
        f"{ended} of {plural(under, 'span')} changed{cache}",
        "",
    ]
    if not answer["claims"]:
        lines.append("- what was retrieved for it changed; none of its claims cites it")
    for claim in answer["claims"]:
        numbers = ", ".join(map(str, claim["changes"]))
        lines.append(f"- {claim['severity']}: {escaped(claim['text'])} (change {numbers})")
        path = " → ".join(f"{step['kind']} {step['label']}" for step in claim["path"])
        more = f" (+{plural(claim['more_paths'], 'path')})" if claim["more_paths"] else ""
        lines.append(f"  - {escaped(path)}{more}")
    return [*lines, ""]


def escaped(text: str | None) -> str:
    """Text as it is, whatever it means in Markdown."""
    folded = visible(fold(text))
    for character in "\\`*_[]<>#|":
        folded = folded.replace(character, "\\" + character)
    return folded
