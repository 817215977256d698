"""The report of a correction in lines: the change, then the answers, the worst first.

All functions take the report's JSON, so that what is printed is what programs read. In a pipe
nothing is left out. On a terminal it fits the screen, and what does not fit is counted.
"""

from __future__ import annotations

from typing import Any

from lineage_cli.output import Line, note, say, size, terminal
from lineage_cli.render.diff import word_diff
from lineage_cli.render.lines import fitted, fold, middle, plural, shorten

STYLES = {"invalid": "red", "review": "yellow"}
CHANGES = 4
CLAIMS = 2
REST = 3
"""Changes, claims of an answer, and answers that were spared or cannot be excluded, which a screen has room for."""
LEAST = 6


def show(body: dict[str, Any], *, dry_run: bool = False, hints: bool = True, spare: int = 0) -> None:
    """Prints the report. ``spare`` lines of the screen are needed for other things."""
    columns, rows = size()
    found = lines(body, (columns, rows - spare), dry_run=dry_run) if terminal() else lines(body, dry_run=dry_run)
    for line in found:
        say(*line)
    if hints:
        for text in following(body, dry_run=dry_run):
            note(text)


def lines(body: dict[str, Any], screen: tuple[int, int] | None = None, *, dry_run: bool = False) -> list[Line]:
    """The report; ``screen`` is columns and lines of a terminal."""
    width = None if screen is None else screen[0]
    head = [Line("DRY RUN: nothing was written.", "bold")] if dry_run else []
    head += [*_head(body["correction"], width, dry_run), *_changes(body["changes"], width)]
    answers = [_answer(answer, width) for answer in body["answers"]]
    unknown = [
        Line(shorten(f"CANNOT EXCLUDE  {each['key']}   {fold(each['because'])}", width), "magenta")
        for each in body["cannot_exclude"]
    ]
    spared = [Line(shorten(_spared(each), width)) for each in body["spared"]]
    foot = [Line(_foot(body, dry_run))]
    if screen is None or width is None:
        return [*head, *(line for answer in answers for line in answer), *unknown, *spared, *foot]
    # Three lines are for what to do next, the prompt, and a foot that wraps.
    room = screen[1] - len(head) - len(foot) - 3 - min(len(unknown), REST + 1) - min(len(spared), REST + 1)
    shown: list[Line] = []
    number = 0
    for answer in answers:
        if number and len(shown) + len(answer) > max(room, LEAST):
            break
        shown += answer
        number += 1
    if number < len(answers):
        shown.append(Line(f"… and {plural(len(answers) - number, 'more answer')}: --format md, or --json"))
    return [*head, *shown, *_first(unknown), *_first(spared), *foot]


def following(body: dict[str, Any], *, dry_run: bool = False) -> list[str]:
    """What to do next. It is no data."""
    if dry_run:
        edition = any(each["kind"] == "correct" for each in body["correction"]["documents"])
        undone = body["correction"]["reason"].startswith("undo of c1:")
        hint = " Is it a new edition and no error: --kind edition --valid-from DATE" if edition and not undone else ""
        return [f"Run without --dry-run to commit.{hint}"]
    found = [f"more: --after {body['page']['next']}"] if body["page"]["next"] else []
    if body["correction"]["state"] == "propagating":
        return [*found, "Next: lineage propagate"]
    if body["counts"]["answers"]:
        return [*found, f"Next: lineage plan --correction {body['correction']['id'][:11]}"]
    return found


def documents_text(correction: dict[str, Any], most: int = 3) -> str:
    """What a correction changed: kind, document and versions, the first few by name."""
    documents = correction["documents"]
    names = ", ".join(
        f"{each['kind']} {each['uri']} v{each['from_version']}" + _target(each) for each in documents[:most]
    )
    return names + (f" and {len(documents) - most} more" if len(documents) > most else "")


def _target(document: dict[str, Any]) -> str:
    """An edition's versions are numbered anew."""
    if document["to_version"] is None:
        return ""
    return f"→v{document['to_version']}" + (" of a new edition" if document["kind"] == "edition" else "")


def change_text(change: dict[str, Any], around: int | None = 6) -> str:
    """One change: as a word diff, or where there are no words to compare, its class."""
    if change["old"] is None or change["new"] is None:
        return str(change["class"])
    return word_diff(change["old"], change["new"], around)


def _head(correction: dict[str, Any], width: int | None, dry_run: bool) -> list[Line]:
    by = f" by {correction['by']}" if correction["by"] else ""
    state = correction["state"]
    if state == "propagating":
        state = f"propagating, {plural(correction['pending'], 'mark')} pending: the counts are those so far"
    end = "" if dry_run else f"  {correction['at'][:19]}Z  {state}"
    what = f'{documents_text(correction)}  "{fold(correction["reason"])}"{by}'
    line = f"{correction['id']}  {what}{end}"
    if width is None or len(line) <= width:
        return [Line(line)]
    # The id is to be copied: it is never cut.
    return [Line(f"{correction['id']}{end}"), Line(shorten(f"  {what}", width))]


def _changes(changes: list[dict[str, Any]], width: int | None) -> list[Line]:
    found = []
    for change in changes if width is None else changes[:CHANGES]:
        where = str(change["uri"])
        where += f" {change['start']}–{change['end']}" if change["end"] or change["old"] is not None else ""
        where += f" § {fold(change['section'])}" if change["section"] else ""
        where += f" p. {change['page']}" if change["page"] else ""
        start = f"  [{change['n']}] {where}  "
        for around in (6, 3, 1):
            line = start + change_text(change, around)
            if width is None or len(line) <= width:
                break
        found.append(Line(middle(line, width)))
    if len(changes) > len(found):
        found.append(Line(f"  … and {plural(len(changes) - len(found), 'more change')}"))
    return found


def _answer(answer: dict[str, Any], width: int | None) -> list[Line]:
    ended, under = answer["share"]
    cache = f"   cache {answer['cache_key']}" if answer["cache_key"] else ""
    also = f"   also {plural(len(answer['also']), 'other correction')}" if answer["also"] else ""
    lineage = "" if answer["lineage"] == "complete" else f"   lineage {answer['lineage']}"
    start = f"{answer['severity'].upper():<8} {answer['key']}   "
    end = f"{cache}   {ended} of {plural(under, 'span')}{lineage}{also}"
    room = None if width is None else max(width - len(start) - len(end) - 2, 12)
    question = shorten(fold(answer["question"]), room)
    found = [Line(shorten(f'{start}"{question}"{end}', width), STYLES[answer["severity"]])]
    if answer["reached_by"] == "retrieved":
        found.append(Line(shorten("  what was retrieved for it changed; none of its claims cites it", width)))
    claims = answer["claims"] if width is None else answer["claims"][:CLAIMS]
    for claim in claims:
        found += _claim(claim, width)
    if len(answer["claims"]) > len(claims):
        found.append(Line(f"  … and {plural(len(answer['claims']) - len(claims), 'more claim')}"))
    return found


def _claim(claim: dict[str, Any], width: int | None) -> list[Line]:
    numbers = ", ".join(map(str, claim["changes"]))
    survives = f"   survives on {claim['survives_on']}" if claim["survives_on"] else ""
    end = f"   change {numbers}, {plural(claim['level'], 'hop')}{survives}"
    room = None if width is None else max(width - len(end) - 4, 12)
    found = [Line(f'  "{shorten(fold(claim["text"]), room)}"{end}')]
    if claim["path"]:
        more = f"   (+{plural(claim['more_paths'], 'path')})" if claim["more_paths"] else ""
        steps = [f"{step['kind']} {fold(step['label'])}" for step in claim["path"]]
        room = None if width is None else width - len(more) - 7
        found.append(Line(f"     → {fitted(steps, ' → ', room)}{more}"))
    return found


def _spared(each: dict[str, Any]) -> str:
    # While marks are still being spread, who stands on a changed span is not spared yet.
    if each["because"].startswith("pending:"):
        return f"NOT YET  {each['key']}   not reached so far"
    return f"SPARED   {each['key']}   {fold(each['because'])}"


def _first(listed: list[Line]) -> list[Line]:
    if len(listed) <= REST + 1:
        return listed
    return [*listed[:REST], Line(f"… and {len(listed) - REST} more", listed[0].style)]


def _foot(body: dict[str, Any], dry_run: bool) -> str:
    counts = body["counts"]
    waiting = counts["spared"].get("pending", 0)
    answers = ", ".join(f"{count} {word}" for word, count in counts["answers"].items()) or "no answers"
    nodes = ", ".join(f"{count} {kind}" for kind, count in counts["nodes"].items())
    spared = f"{sum(counts['spared'].values()) - waiting} spared" + (
        f", {waiting} not reached so far" if waiting else ""
    )
    marked = f"  {'Would mark' if dry_run else 'Marked'}: {nodes}." if nodes else ""
    return f"{answers}; {counts['cannot_exclude']} cannot be excluded, {spared}.{marked}"
