"""``judge split``: the parts of compound claims, from a rule or from a model."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.commands.judge import All, Answers, Concurrency, Namespace, Settings, answers_of, judge, settings_of
from lineage_cli.options import Json
from lineage_cli.output import as_json, progress, say


class By(StrEnum):
    """Who splits."""

    RULE = "rule"
    LLM = "llm"


@command(
    "split",
    "lineage judge split --all --by rule",
    "lineage judge split Original --by llm --set model=NAME --concurrency 8",
    group=judge,
)
def split(
    answers: Answers = None,
    all_: All = False,
    namespace: Namespace = None,
    by: Annotated[By | None, typer.Option("--by", metavar="|".join(By), help="Who splits.", show_default=False)] = None,
    settings: Settings = None,
    concurrency: Concurrency = 1,
    as_json_: Json = False,
) -> None:
    """Split the claims of these answers that need evidence, and keep the parts under each.

    The last splitting that was kept of a claim counts in 'score --profile audit', and 'judge run' asks about its parts.
    Claims that this splitter has split are not asked about again, so a run that was cut goes on. A model's parts count
    only if all their content words occur in the claim; where they do not, or its answer cannot be read, nothing is kept
    for that claim, it is listed, and the exit code is 7.
    """
    from lineage_schema.errors import MissingJudgment
    from lineage_scoring.parts import split_claims
    from lineage_scoring.splitters import splitter_named
    from lineage_scoring.verdicts import judge_json

    if by is None:
        raise typer.BadParameter(f"say who splits: --by {' or '.join(By)}")
    splitter = splitter_named(by.value, settings_of(settings or ()))
    with opened() as graph:
        loaded = graph.cited(answers_of(graph, answers, all_, namespace))
        with progress("splitting") as tell:
            done = split_claims(splitter, loaded, graph.judgments, concurrency=concurrency, on_progress=tell)
    failures = [each.to_json() for each in done.failures]
    if as_json_:
        as_json(
            {
                "splitter": judge_json(splitter.id), "asked": done.asked, "known": done.known, "kept": done.kept,
                "failures": failures,
            }
        )  # fmt: skip
    else:
        name = f"{splitter.id.name}@{splitter.id.version}"
        say(f"{name}: {done.asked} texts asked, {done.kept} claims kept, {done.known} were kept before")
    if failures:
        shown = "; ".join(map(str, done.failures[:5]))
        more = f"; and {len(failures) - 5} more" if len(failures) > 5 else ""
        raise MissingJudgment(
            f"{len(failures)} claims were not split: {shown}{more}",
            failures,
            hint="run it again: what is kept is not asked twice; or give their parts: score --parts FILE",
        )
