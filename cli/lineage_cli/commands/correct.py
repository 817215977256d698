"""``correct``, ``withdraw``, ``undo``: changing what is current."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import By, DryRun, Enqueue, Json, Reason
from lineage_cli.output import as_json, say
from lineage_cli.spreading import spread
from lineage_cli.texts import STANDARD_INPUT, lines_of, read_text
from lineage_schema.errors import BadInput

if TYPE_CHECKING:
    from lineage.graph import Corrected, LineageGraph


class Kind(StrEnum):
    """What a new text is."""

    CORRECT = "correct"
    EDITION = "edition"


@command(
    "correct",
    'lineage correct returns.md new/returns.md --reason "policy 2026-11" --dry-run',
    'lineage correct returns.md --replace "30 days" "14 days" --reason "policy 2026-11"',
    'lineage correct --set changes.jsonl --reason "nightly sync"',
    'lineage correct terms.md terms-2027.md --kind edition --valid-from 2027-01-01 --reason "terms of 2027"',
)
def correct(
    document: Annotated[
        str | None, typer.Argument(metavar="DOC", help="The document's uri.", show_default=False)
    ] = None,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The new text; - reads standard input.", show_default=False),
    ] = None,
    reason: Reason = "",
    by: By = None,
    replace: Annotated[
        tuple[str, str] | None,
        typer.Option("--replace", metavar="OLD NEW", help="Replace OLD, which must occur exactly once."),
    ] = None,
    set_: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE", help="JSON Lines of {uri, path}: one correction of many documents."),
    ] = None,
    kind: Annotated[
        Kind,
        typer.Option(
            "--kind", metavar="|".join(Kind), help="correct: the text was wrong; edition: a text with its own validity."
        ),
    ] = Kind.CORRECT,
    valid_from: Annotated[
        str | None, typer.Option("--valid-from", metavar="DATE", help="ISO date from which an edition holds.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Take a text that shares under half with it.")] = False,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    as_json_: Json = False,
) -> None:
    """Correct a document, mark all that stood on the changed words, and print what that affected.

    What rests on a whole document, changed or not, is shown by 'lineage impact DOC'.
    """
    if not reason:
        raise typer.BadParameter("say why: it is kept and shown", param_hint="--reason")
    if valid_from is not None and kind is not Kind.EDITION:
        raise typer.BadParameter("only an edition has a validity of its own: --kind edition", param_hint="--valid-from")
    if valid_from is None and kind is Kind.EDITION:
        raise typer.BadParameter("an edition holds from a date: --valid-from DATE", param_hint="--kind")
    with opened(read_only=dry_run) as graph:
        texts = _texts(graph, document, file, replace, set_)
        done = graph.correct(
            texts,
            reason=reason,
            by=by,
            kind=kind.value,
            valid_from=valid_from,
            force=force,
            propagate=False,
            dry_run=dry_run,
        )
        _finish(graph, done, dry_run=dry_run, enqueue=enqueue, as_json_=as_json_)


@command(
    "withdraw",
    'lineage withdraw lease.txt --reason "the contract ended" --dry-run',
    'lineage withdraw letter.txt --reason "asked to be forgotten" --purge',
)
def withdraw(
    documents: Annotated[list[str], typer.Argument(metavar="DOC…", help="Uris.", show_default=False)],
    reason: Reason,
    by: By = None,
    purge: Annotated[bool, typer.Option("--purge", help="Also remove the texts; ids and hashes stay.")] = False,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    as_json_: Json = False,
) -> None:
    """Withdraw documents without a replacement. A purge cannot be undone."""
    if purge and enqueue:
        raise typer.BadParameter(
            "text is removed only after all marks are in: not with --purge", param_hint="--enqueue"
        )
    with opened(read_only=dry_run) as graph:
        purge_now = purge and not dry_run
        done = graph.withdraw(documents, reason=reason, by=by, propagate=purge_now, dry_run=dry_run, purge=purge_now)
        if done.id is None and purge_now:
            if as_json_:
                as_json({"correction": None, "changed": False, "purged": documents})
            else:
                say("withdrawn before; no text of them is left")
            return
        _finish(graph, done, dry_run=dry_run, enqueue=enqueue, as_json_=as_json_)


@command("undo", "lineage undo last --dry-run", "lineage undo c1:7be0")
def undo(
    correction: Annotated[
        str, typer.Argument(metavar="CORRECTION", help="Its id, a prefix of it, or last.", show_default=False)
    ],
    by: By = None,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    as_json_: Json = False,
) -> None:
    """Correct back to the texts before a correction.

    Refused where a document was changed again since, and after a purge.
    """
    with opened(read_only=dry_run) as graph:
        done = graph.undo(correction, by=by, propagate=False, dry_run=dry_run)
        _finish(graph, done, dry_run=dry_run, enqueue=enqueue, as_json_=as_json_)


def _texts(
    graph: LineageGraph,
    document: str | None,
    file: Path | None,
    replace: tuple[str, str] | None,
    set_: Path | None,
) -> dict[str, str]:
    if set_ is not None:
        if document is not None or replace is not None:
            raise typer.BadParameter("it names all documents itself", param_hint="--set")
        return _set(set_)
    if document is None or (file is None) == (replace is None):
        raise typer.BadParameter("give DOC and FILE, or DOC and --replace OLD NEW, or --set FILE")
    if file is not None:
        return {document: read_text(file)}
    assert replace is not None
    return {document: replaced(graph.text(document), *replace, item=document)}


def replaced(text: str, old: str, new: str, *, item: str) -> str:
    """The text with ``old``, which must occur exactly once, replaced. Occurrences that overlap are several."""
    count, at = 0, text.find(old) if old else -1
    while at >= 0:
        count, at = count + 1, text.find(old, at + 1)
    if count != 1:
        raise BadInput(
            item,
            "--replace OLD",
            found=f"{count} occurrences of {old!r}",
            expected="exactly one",
            hint="give more of the words around it" if count else None,
        )
    return text.replace(old, new)


def _set(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    lines, _ = lines_of(path)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        item = f"{path} line {number}"
        try:
            body = json.loads(line)
            uri, file = body["uri"], Path(body["path"])
        except (ValueError, KeyError, TypeError):
            raise BadInput(item, "line", found=line[:80], expected='{"uri": …, "path": …}') from None
        if not isinstance(uri, str) or str(file) == STANDARD_INPUT:
            raise BadInput(item, "line", found=line[:80], expected="a uri, and the path of a file")
        if uri in texts:
            raise BadInput(item, "uri", found=uri, expected="each document once")
        base = Path() if str(path) == STANDARD_INPUT else path.parent
        texts[uri] = read_text(base / file)
    if not texts:
        raise BadInput(str(path), "lines", found="none", expected='a line {"uri": …, "path": …} for each document')
    return texts


def _finish(graph: LineageGraph, done: Corrected, *, dry_run: bool, enqueue: bool, as_json_: bool) -> None:
    if done.id is None:
        if as_json_:
            as_json({"correction": None, "changed": False})
        else:
            say("nothing differs from what is current: nothing was done")
        return
    if not dry_run and not enqueue:
        spread(graph)
    report = done.report or graph.affected(done.id)
    if as_json_:
        as_json(report.to_json())
        return
    from lineage_cli.render.affected import show

    show(report.to_json(), dry_run=dry_run)
