"""``judge``: verdicts on whether passages support statements, from judges and from people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lineage_cli.app import app, command, opened
from lineage_cli.commands.score import AtMost, Items, Qampari, kept_parts
from lineage_cli.options import By, Json, Reason
from lineage_cli.output import as_json, data, note, progress, say
from lineage_cli.texts import lines_of, read_text

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage_schema.judgments import Judgment, Request
    from lineage_scoring.asking import Asked
    from lineage_scoring.beside import Reference

judge = typer.Typer(name="judge", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(judge, name="judge", help="Keep verdicts on whether passages support statements.")

Answers = Annotated[
    list[str] | None, typer.Argument(metavar="ANSWER…", help="Answers' keys, cache keys or ids.", show_default=False)
]
All = Annotated[bool, typer.Option("--all", help="All current answers.")]
Beside = Annotated[
    str | None,
    typer.Option("--with", metavar="PART,…", help="Also for faithfulness, fidelity, correctness, completeness."),
]
Parts = Annotated[Path | None, typer.Option("--parts", metavar="FILE", help="Parts of compound claims, JSON Lines.")]
References = Annotated[
    Path | None, typer.Option("--reference", metavar="FILE", help="What answers should say, JSON Lines.")
]
Batch = Annotated[
    str | None,
    typer.Option("--openai-batch", metavar="MODEL", help="In the form of OpenAI's batch files, for a model."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of who is asked; may be repeated.")
]
Concurrency = Annotated[int, typer.Option("--concurrency", metavar="N", min=1, help="Batches at a time.")]
Namespace = Annotated[str | None, typer.Option("--namespace", metavar="NS", help="With --all: of this one.")]


@command("run", "lineage judge run Original --judge lexical", "lineage judge run --all --judge mine:Judge", group=judge)
def run(
    answers: Answers = None,
    all_: All = False,
    namespace: Namespace = None,
    name: Annotated[
        str, typer.Option("--judge", metavar="NAME|MODULE:CLASS", help="Who is asked.", show_default=False)
    ] = "",
    settings: Settings = None,
    beside: Beside = None,
    parts: Parts = None,
    reference: References = None,
    items: Items = None,
    qampari: Qampari = False,
    at_most: AtMost = 3,
    concurrency: Concurrency = 1,
    again: Annotated[bool, typer.Option("--again", help="Also ask what is kept.")] = False,
    as_json_: Json = False,
) -> None:
    """Ask a judge all that scoring these answers' citations needs, and keep its verdicts.

    What is kept already is not asked again, so a run that was cut goes on. Requests that failed have no verdict: they
    are listed, and the exit code is 7.
    """
    from lineage_scoring.judges import judge_named
    from lineage_scoring.running import run as running
    from lineage_scoring.score import requests_of

    if not name:
        raise typer.BadParameter("say who is asked: --judge lexical, llm, nli, or MODULE:CLASS")
    sys.path.insert(0, str(Path.cwd()))
    asked_of = judge_named(name, settings_of(settings or ()))
    with opened() as graph:
        if items is not None:
            asked = _of_items(items, qampari, at_most)
        else:
            ids = answers_of(graph, answers, all_, namespace)
            given = kept_parts(graph, ids, parts, quiet=as_json_)
            asked = requests_of(graph, ids, beside=_beside(beside), given=given, references=_references(reference))
        requests = [each.request for each in asked]
        with progress("judging") as tell:
            done = running(asked_of, requests, graph.judgments, concurrency=concurrency, again=again, on_progress=tell)
    body = {
        "judge": {"name": asked_of.name, "version": asked_of.version, "configuration": asked_of.id.configuration},
        "asked": done.asked, "known": done.known, "kept": done.kept, "cut": done.cut, "conflicts": done.conflicts,
        "failures": _failed(done.failures),
    }  # fmt: skip
    if as_json_:
        as_json(body)
    else:
        say(f"{asked_of.name}@{asked_of.version}: {done.asked} asked, {done.kept} kept, {done.known} were kept before")
        if done.cut:
            note(f"{done.cut} are longer than the judge's window, and unresolved")
        for key in done.conflicts:
            note(f"{key} has differing verdicts: lineage judge resolve {key} --verdict V --reason R")
    _stop_on(done.failures, "run it again: what is kept is not asked twice")


@command("export", "lineage judge export Original -o requests.jsonl", group=judge)
def export(
    answers: Answers = None,
    all_: All = False,
    namespace: Namespace = None,
    beside: Beside = None,
    parts: Parts = None,
    reference: References = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="What 'reverify' asks of claims that a correction made invalid.")
    ] = False,
    batch: Batch = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write.")] = None,
) -> None:
    """Write what scoring these answers' citations asks: the cited set, each passage alone, the set without each.

    One JSON object a line, each question once. Hand it to people or to a batch job, and read the verdicts back with
    'judge import'.
    """
    from lineage_scoring.inputs import parts_of
    from lineage_scoring.judges import jsonl, openai_batch
    from lineage_scoring.reverifying import about_stale
    from lineage_scoring.score import requests_of

    def lines_about(asked: Iterable[Asked]) -> list[str]:
        made = openai_batch.exported(asked, batch) if batch else jsonl.exported(asked)
        return [json.dumps(each, ensure_ascii=False) for each in made]

    if stale and (answers or all_):
        raise typer.BadParameter("--stale is of all answers")
    with opened(read_only=True) as graph:
        if stale:
            lines = lines_about(about_stale(graph.stale_claims()))
        else:
            asked = requests_of(
                graph,
                answers_of(graph, answers, all_, namespace),
                beside=_beside(beside),
                given=parts_of(*lines_of(parts)),
                references=_references(reference),
            )
            lines = lines_about(asked)
    text = "".join(line + "\n" for line in lines)
    if output is None:
        if text:
            data(text)
    else:
        output.write_text(text, encoding="utf-8")
    note(f"{len(lines)} requests")


@command("import", "lineage judge import verdicts.jsonl --by ann", group=judge)
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines; - reads standard input.")],
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="NS", help="Names of passages are those of its answers.")
    ] = None,
    name: Annotated[str, typer.Option("--judge", metavar="NAME", help="Under which name they are kept.")] = "recorded",
    version: Annotated[str, typer.Option("--judge-version", metavar="V", help="Its version.")] = "1",
    parts: Parts = None,
    reference: References = None,
    batch: Batch = None,
    by: By = None,
    as_json_: Json = False,
) -> None:
    """Keep verdicts of people or of batch jobs: all of the file, or nothing.

    A line has a request's id, or a statement and the names of passages; a verdict (supported, not_supported,
    contradicted, unresolved); and, if you like, a score from 0 to 1 and a reason. With --openai-batch, lines are the
    output of a batch that 'judge export --openai-batch' wrote, kept as the judge llm's; calls that failed are listed,
    and the exit code is 7.
    """
    from lineage_schema.errors import Conflict
    from lineage_schema.judgments import JudgeId
    from lineage_scoring.beside import PARTS
    from lineage_scoring.judges import jsonl, openai_batch
    from lineage_scoring.reverifying import about_stale
    from lineage_scoring.score import requests_of

    if batch and (by or (name, version) != ("recorded", "1")):
        raise typer.BadParameter("--openai-batch says by itself who judged")
    lines, _ = lines_of(Path(file))
    with opened() as graph:
        ids = answers_of(graph, None, True, namespace)
        given = kept_parts(graph, ids, parts, quiet=as_json_)
        loaded = graph.cited(ids)
        about = requests_of(graph, ids, beside=PARTS, given=given, references=_references(reference))
        asked = chain(about, about_stale(graph.stale_claims()))
        failures: list[tuple[Request, str]] = []
        if batch:
            judged_by = openai_batch.judge_of(batch)
            rows, failures = openai_batch.imported(lines, asked, batch, file)
        else:
            judged_by = JudgeId.of(name, version, {})
            rows = jsonl.imported(lines, asked, loaded, judged_by, by, file)
        kept = graph.judgments.keep(rows)
    if as_json_:
        as_json({"new": kept.new, "known": kept.known, "conflicts": kept.conflicts, "failures": _failed(failures)})
    else:
        say(f"{kept.new} kept, {kept.known} were kept before, as {judged_by.name}@{judged_by.version}")
    if kept.conflicts:
        for each in _failed(failures):
            note(f"{each['request']} failed: {each['why']}")
        raise Conflict(
            f"{len(kept.conflicts)} judgments have differing verdicts, and all are kept: {', '.join(kept.conflicts)}",
            hint="lineage judge resolve KEY --verdict V --reason R decides",
        )
    _stop_on(failures, "export again: what is kept is not lost")


@command("resolve", 'lineage judge resolve j1:79e8 --verdict supported --reason "read again"', group=judge)
def resolve(
    key: Annotated[str, typer.Argument(metavar="KEY", help="A judgment's key, or a unique prefix.")],
    verdict: Annotated[str, typer.Option("--verdict", metavar="V", help="One that was given.")],
    reason: Reason,
    by: By = None,
    as_json_: Json = False,
) -> None:
    """Decide which of the differing verdicts under one key holds. The last word counts."""
    from lineage_schema.errors import BadInput
    from lineage_schema.vocabulary import Verdict

    if verdict not in list(Verdict):
        raise BadInput(key, "verdict", found=verdict, expected=f"one of {', '.join(Verdict)}")
    with opened() as graph:
        row = graph.judgments.resolve(key, verdict, reason=reason, by=by)
    if as_json_:
        as_json(_row(row))
    else:
        say(f"{row.key}: {row.verdict.value}")


@command("conflicts", "lineage judge conflicts", group=judge)
def conflicts(as_json_: Json = False) -> None:
    """List verdicts that differ and between which nobody has decided."""
    with opened(read_only=True) as graph:
        rows = graph.judgments.conflicts()
    if as_json_:
        as_json([_row(row) for row in rows])
        return
    for row in rows:
        say(f"{row.key}  {row.verdict.value:<13} {row.by or row.judge.name}  {row.statement or '(purged)'}")


@command("list", "lineage judge list", group=judge)
def list_(as_json_: Json = False) -> None:
    """List who gave verdicts, and how many."""
    with opened(read_only=True) as graph:
        judges = graph.judgments.judges()
    if as_json_:
        as_json(
            [
                {"name": each.name, "version": each.version, "configuration": each.configuration, "judgments": count}
                for each, count in judges
            ]
        )
        return
    for each, count in judges:
        say(f"{each.name}@{each.version}  {count} judgments  {each.configuration}")


def answers_of(graph: LineageGraph, answers: list[str] | None, all_: bool, namespace: str | None) -> list[str]:
    """The ids of the answers that a command line means."""
    if bool(answers) == all_:
        raise typer.BadParameter("name answers, or say --all")
    return graph.answers(*(answers or ()), namespace=namespace)


def _failed(failures: Sequence[tuple[Request, str]]) -> list[dict[str, str]]:
    from lineage_scoring.judges.jsonl import request_id

    return [{"request": request_id(request), "why": why} for request, why in failures]


def _stop_on(failures: Sequence[tuple[Request, str]], hint: str) -> None:
    from lineage_schema.errors import MissingJudgment

    if failures:
        shown = "; ".join(list(dict.fromkeys(why for _, why in failures))[:5])
        raise MissingJudgment(f"{len(failures)} requests failed: {shown}", _failed(failures), hint=hint)


def _of_items(file: Path, qampari: bool, at_most: int) -> list[Asked]:
    from lineage_scoring.alce_items import asked, items_of

    return asked(items_of(read_text(file)), at_most_citations=at_most, qampari=qampari)


def _beside(given: str | None) -> list[str]:
    from lineage_scoring.beside import PARTS

    found = [part for part in (given or "").split(",") if part]
    for part in found:
        if part not in PARTS:
            raise typer.BadParameter(f"--with {part}: expected some of {','.join(PARTS)}")
    return found


def _references(file: Path | None) -> dict[str, Reference]:
    from lineage_scoring.inputs import references_of

    return references_of(*lines_of(file))


def settings_of(given: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """The settings of a judge, as ``KEY=VALUE`` gives them."""
    found = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key.isidentifier():
            raise typer.BadParameter(f"--set {each}: expected KEY=VALUE")
        found[key] = value
    return found


def _row(row: Judgment) -> dict[str, Any]:
    return {
        "key": row.key, "statement": row.statement, "passages": [shown.text for shown in row.passages],
        "judge": f"{row.judge.name}@{row.judge.version}", "verdict": row.verdict.value, "reason": row.reason,
        "by": row.by, "chosen": row.chosen,
    }  # fmt: skip
