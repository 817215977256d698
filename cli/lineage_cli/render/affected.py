"""The report of a correction on a terminal: a screen, the worst first."""

from __future__ import annotations

from typing import Any

from lineage_cli.output import note, out, say, styled
from lineage_cli.render.diff import word_diff

SHOWN = 12
"""Answers shown on a terminal; the rest is counted and reached by --limit or --format."""
CHANGES = 5


def render(body: dict[str, Any], *, dry_run: bool = False, hints: bool = True) -> None:
    """Prints the report. In a pipe nothing is left out; on a terminal what does not fit is counted."""
    whole = not out().is_terminal
    _head(body)
    _changes(body["changes"], whole)
    answers = body["answers"]
    shown = answers if whole else answers[:SHOWN]
    for answer in shown:
        _answer(answer)
    if len(answers) > len(shown):
        say(f"… and {len(answers) - len(shown)} more answers: lineage affected --format md, or --json")
    for each in body["cannot_exclude"] if whole else body["cannot_exclude"][:SHOWN]:
        styled(f"CANNOT EXCLUDE  {each['key']}   {each['because']}", "magenta")
    spared = body["spared"] if whole else body["spared"][: max(SHOWN - len(shown), 3)]
    for each in spared:
        say(f"SPARED   {each['key']}   {each['because']}")
    if len(body["spared"]) > len(spared):
        say(f"… and {len(body['spared']) - len(spared)} more spared")
    _foot(body, dry_run=dry_run, hints=hints)


def _head(body: dict[str, Any]) -> None:
    correction = body["correction"]
    documents = correction["documents"]
    names = ", ".join(
        f"{each['kind']} {each['uri']} v{each['from_version']}"
        + ("" if each["to_version"] is None else f"→v{each['to_version']}")
        for each in documents[:3]
    )
    more = f" and {len(documents) - 3} more" if len(documents) > 3 else ""
    by = f" by {correction['by']}" if correction["by"] else ""
    state = correction["state"]
    if state == "propagating":
        state = f"propagating, {correction['pending']} marks pending: the counts are those so far"
    say(f'{correction["id"]}  {names}{more}  "{correction["reason"]}"{by}  {correction["at"][:19]}Z  {state}')


def _changes(changes: list[dict[str, Any]], whole: bool) -> None:
    for change in changes if whole else changes[:CHANGES]:
        where = f"{change['uri']} {change['start']}–{change['end']}"
        if change["section"]:
            where += f" § {change['section']}"
        if change["page"]:
            where += f" p. {change['page']}"
        if change["old"] is None or change["new"] is None:
            say(f"  [{change['n']}] {where}  {change['class']}")
        else:
            say(f"  [{change['n']}] {where}  {word_diff(change['old'], change['new'])}")
    if not whole and len(changes) > CHANGES:
        say(f"  … and {len(changes) - CHANGES} more changes")


def _answer(answer: dict[str, Any]) -> None:
    ended, under = answer["share"]
    cache = f"   cache {answer['cache_key']}" if answer["cache_key"] else ""
    question = " ".join((answer["question"] or "").split())
    also = f"   also {len(answer['also'])} other corrections" if answer["also"] else ""
    lineage = "" if answer["lineage"] == "complete" else f"   lineage {answer['lineage']}"
    word = answer["severity"].upper()
    line = f'{word:<8} {answer["key"]}   "{question[:60]}"{cache}   {ended} of {under} spans{lineage}{also}'
    styled(line, "red" if word == "INVALID" else "yellow")
    if answer["reached_by"] == "retrieved":
        say("  what was retrieved for it changed; none of its claims cites it")
    for claim in answer["claims"]:
        text = " ".join((claim["text"] or "").split())
        numbers = ", ".join(map(str, claim["changes"]))
        say(f'  "{text[:90]}"   change {numbers}, {claim["level"]} hops')
        path = " → ".join(f"{step['kind']} {step['label'][:40]}" for step in claim["path"])
        more = f"   (+{claim['more_paths']} paths)" if claim["more_paths"] else ""
        if path:
            say(f"     → {path}{more}")


def _foot(body: dict[str, Any], *, dry_run: bool, hints: bool) -> None:
    counts = body["counts"]
    answers = ", ".join(f"{count} {word}" for word, count in counts["answers"].items()) or "no answers"
    nodes = ", ".join(f"{count} {kind}" for kind, count in counts["nodes"].items())
    say(
        f"{answers}; {counts['cannot_exclude']} cannot be excluded, {sum(counts['spared'].values())} spared."
        + (f"  Marked: {nodes}." if nodes else "")
    )
    if body["page"]["next"]:
        note(f"more: --after {body['page']['next']}")
    if not hints:
        return
    if dry_run:
        note("Run without --dry-run to commit. Is it a new edition and no error: --kind edition --valid-from DATE")
    elif counts["answers"]:
        note(f"Next: lineage plan --correction {body['correction']['id'][:11]}")
