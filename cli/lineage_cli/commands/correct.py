"""``correct``, ``withdraw``, ``undo``, ``propagate``, ``dismiss``: changing what is current, and deciding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lineage import BadInput, LineageGraph
from lineage.graph import Corrected
from lineage_cli.app import By, DryRun, Enqueue, Json, Reason, command, opened
from lineage_cli.commands.add import read_text
from lineage_cli.output import as_json, note, progress, say
from lineage_cli.render.affected import render


@command("correct")
def correct(
    document: Annotated[
        str | None, typer.Argument(metavar="DOC", help="The document's uri.", show_default=False)
    ] = None,
    file: Annotated[Path | None, typer.Argument(help="The new text.", show_default=False)] = None,
    reason: Reason = "",
    by: By = None,
    replace: Annotated[
        tuple[str, str] | None, typer.Option("--replace", metavar="OLD NEW", help="Replace OLD, which must occur once.")
    ] = None,
    set_: Annotated[
        Path | None, typer.Option("--set", help="JSON Lines of {uri, path}: one correction of many documents.")
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="correct; or edition: a text with its own validity.")] = "correct",
    valid_from: Annotated[str | None, typer.Option("--valid-from", help="ISO date of an edition.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Take a text that shares under half with it.")] = False,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    as_json_: Json = False,
) -> None:
    """Correct a document, mark all that stood on the changed words, and print what that affected.

    Examples:

      lineage correct returns.md new/returns.md --reason "policy 2026-11" --dry-run

      lineage correct returns.md --replace "30 days" "14 days" --reason "policy 2026-11"

      lineage correct --set changes.jsonl --reason "nightly sync"
    """
    if not reason:
        raise typer.BadParameter("say why: it is kept and shown", param_hint="--reason")
    with opened(read_only=dry_run) as graph:
        texts = _texts(graph, document, file, replace, set_)
        done = graph.correct(
            texts,
            reason=reason,
            by=by,
            kind=kind,
            valid_from=valid_from,
            force=force,
            propagate=False,
            dry_run=dry_run,
        )
        _finish(graph, done, dry_run=dry_run, enqueue=enqueue, as_json_=as_json_)


@command("withdraw")
def withdraw(
    documents: Annotated[list[str], typer.Argument(metavar="DOC…", help="Uris.", show_default=False)],
    reason: Reason,
    by: By = None,
    purge: Annotated[bool, typer.Option("--purge", help="Also remove the texts; ids and hashes stay.")] = False,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    as_json_: Json = False,
) -> None:
    """Withdraw documents without a replacement.

    Example: lineage withdraw lease.txt --reason "the contract ended"
    """
    with opened(read_only=dry_run) as graph:
        done = graph.withdraw(
            documents, reason=reason, by=by, propagate=purge and not dry_run, dry_run=dry_run, purge=purge
        )
        _finish(graph, done, dry_run=dry_run, enqueue=enqueue, as_json_=as_json_)


@command("undo")
def undo(
    correction: Annotated[str, typer.Argument(help="Its id, a prefix of it, or last.", show_default=False)],
    by: By = None,
    dry_run: DryRun = False,
    enqueue: Enqueue = False,
    as_json_: Json = False,
) -> None:
    """Correct back to the texts before a correction.

    Example: lineage undo last
    """
    with opened(read_only=dry_run) as graph:
        done = graph.undo(correction, by=by, propagate=False, dry_run=dry_run)
        _finish(graph, done, dry_run=dry_run, enqueue=enqueue, as_json_=as_json_)


@command("propagate")
def propagate(
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="At most so many steps.")] = None,
    as_json_: Json = False,
) -> None:
    """Run, or resume, what is pending.

    Example: lineage propagate
    """
    with opened() as graph:
        made, pending = _propagate(graph, steps)
    if as_json_:
        as_json({"steps": made, "pending": pending})
    else:
        say(f"{made} steps" + (f", {pending} marks still pending" if pending else ", nothing is pending"))


@command("dismiss")
def dismiss(
    node: Annotated[str, typer.Argument(help="A claim, answer or derived node.", show_default=False)],
    reason: Reason,
    correction: Annotated[str | None, typer.Option("--correction", help="Needed where several are open.")] = None,
    by: By = None,
    as_json_: Json = False,
) -> None:
    """Decide that a correction does not affect a node as it was made.

    Example: lineage dismiss claim:demo/returns/C1 --reason "it speaks of 2025"
    """
    with opened() as graph:
        decision = graph.dismiss(node, reason=reason, by=by, correction=correction)
        graph.propagate()
    if as_json_:
        as_json({"correction": decision.cause, "node": decision.node, "severity": decision.severity.word})
    else:
        say(f"dismissed {decision.cause} for {node}: it stands until the node, or what passes to it, changes")


def _texts(
    graph: LineageGraph,
    document: str | None,
    file: Path | None,
    replace: tuple[str, str] | None,
    set_: Path | None,
) -> dict[str, str]:
    if set_ is not None:
        if document is not None or replace is not None:
            raise typer.BadParameter("--set names all documents itself", param_hint="--set")
        return _set(set_)
    if document is None or (file is None) == (replace is None):
        raise typer.BadParameter("give DOC and FILE, or DOC and --replace OLD NEW, or --set FILE")
    if file is not None:
        return {document: read_text(file)}
    assert replace is not None
    old, new = replace
    text = graph.text(document)
    count = text.count(old) if old else 0
    if count != 1:
        raise BadInput(document, "--replace OLD", found=f"{count} occurrences of {old!r}", expected="exactly one")
    return {document: text.replace(old, new)}


def _set(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
            uri, file = body["uri"], body["path"]
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{path} line {number}", "line", found=line[:80], expected='{"uri": …, "path": …}') from None
        if uri in texts:
            raise BadInput(f"{path} line {number}", "uri", found=uri, expected="each document once")
        texts[uri] = read_text(path.parent / file)
    return texts


def _finish(graph: LineageGraph, done: Corrected, *, dry_run: bool, enqueue: bool, as_json_: bool) -> None:
    if done.id is None:
        if as_json_:
            as_json({"correction": None, "changed": False})
        else:
            say("nothing differs from what is current: nothing was done")
        return
    if not dry_run and not enqueue:
        _propagate(graph, None)
    report = done.report or graph.affected(done.id)
    if as_json_:
        as_json(report.to_json())
        return
    if dry_run:
        say("DRY RUN: nothing was written.")
    render(report.to_json(), dry_run=dry_run)
    if enqueue:
        note("left pending: run lineage propagate")


def _propagate(graph: LineageGraph, steps: int | None) -> tuple[int, int]:
    done = 0
    with progress("propagating") as bar:

        def on_step(step: object) -> None:
            nonlocal done
            done += getattr(step, "expanded", 0)
            bar(done, 0)

        made = graph.propagate(steps=steps, on_step=on_step)
    return made, graph.pending()
