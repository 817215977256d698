"""``reverify``: stale claims judged on the new text."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.commands.judge import settings_of
from lineage_cli.options import By, Json
from lineage_cli.output import as_json, note, progress, say
from lineage_cli.spreading import spread


@command("reverify", "lineage reverify last --judge mine:Judge", "lineage reverify --judge recorded --by ann")
def reverify(
    correction: Annotated[
        str | None,
        typer.Argument(metavar="CORRECTION", help="Its id, a prefix, or last; else of all.", show_default=False),
    ] = None,
    name: Annotated[
        str, typer.Option("--judge", metavar="NAME|MODULE:CLASS", help="Who judges; a name: whose kept verdicts.")
    ] = "recorded",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the judge; may be repeated.")
    ] = None,
    by: By = None,
    as_json_: Json = False,
) -> None:
    """Judge claims that a correction made invalid on the text as it is now.

    A claim that the new text supports is decided to be unaffected, and its answer with it, so far as it rests on such
    claims. Verdicts that are missing stop it before anything is decided (exit code 7); 'judge export --stale'
    writes what is asked.
    """
    from lineage_scoring.judges import judge_named
    from lineage_scoring.reverifying import about_stale
    from lineage_scoring.reverifying import reverify as reverifying
    from lineage_scoring.running import run
    from lineage_scoring.verdicts import judge_of

    with opened() as graph:
        claims = graph.stale_claims(correction)
        if ":" in name:
            sys.path.insert(0, str(Path.cwd()))
            asked_of = judge_named(name, settings_of(settings or ()))
            with progress("judging") as tell:
                run(asked_of, [each.request for each in about_stale(claims)], graph.judgments, on_progress=tell)
            judge = asked_of.id
        else:
            judge = judge_of(graph.judgments, name)
        found = reverifying(graph, judge, claims, by=by)
        spread(graph)
    if as_json_:
        as_json(
            [
                {
                    "claim": each.claim.id, "name": each.claim.name, "word": each.word, "judgment": each.judgment,
                    "corrections": list(each.claim.causes), "decided": list(each.decided),
                }
                for each in found
            ]
        )  # fmt: skip
        return
    for each in found:
        say(f"{each.word:<13} {each.claim.name}" + ("  unaffected now" if each.decided else ""))
    counts = Counter(each.word for each in found)
    note(", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "no claim is stale")
