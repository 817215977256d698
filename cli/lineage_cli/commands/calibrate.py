"""``calibrate``: how well does a judge do on labelled examples?"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lineage_cli.app import command, opened
from lineage_cli.commands.judge import settings_of
from lineage_cli.options import Json
from lineage_cli.output import as_json, note, progress, say
from lineage_cli.texts import lines_of

if TYPE_CHECKING:
    from lineage_scoring.calibration import Figures


@command(
    "calibrate",
    "lineage calibrate --labels builtin --judge lexical --seed 1",
    "lineage calibrate --labels labels.jsonl --judge mine:Judge",
)
def calibrate(
    labels: Annotated[str, typer.Option("--labels", metavar="FILE|builtin", help="Labelled examples, JSON Lines.")],
    name: Annotated[
        str, typer.Option("--judge", metavar="NAME|MODULE:CLASS", help="Who judges; recorded: verdicts that are kept.")
    ],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the judge; may be repeated.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Draws the halves; without it one is drawn and printed.")
    ] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", metavar="N", min=1, help="Batches at a time.")] = 1,
    as_json_: Json = False,
) -> None:
    """Ask a judge about labelled examples, and keep how well it does.

    The threshold comes from one half of the examples, every figure from the other. 'score --gate' asks for it.
    """
    from lineage_scoring.calibrating import ask, calibrated, keep
    from lineage_scoring.judges import judge_named
    from lineage_scoring.labels import builtin, labels_of
    from lineage_scoring.verdicts import RECORDED

    drawn = random.SystemRandom().randrange(2**31) if seed is None else seed
    listed = builtin() if labels == "builtin" else labels_of(*lines_of(Path(labels)))
    with opened() as graph:
        if name == RECORDED.name:
            judge = RECORDED
        else:
            sys.path.insert(0, str(Path.cwd()))
            asked = judge_named(name, settings_of(settings or ()))
            with progress("judging") as tell:
                ask(graph, asked, listed, concurrency=concurrency, on_progress=tell)
            judge = asked.id
        figures = calibrated(graph, judge, listed, drawn)
        row = keep(graph, judge, listed, figures)
    body = {"judge": f"{judge.name}@{judge.version}", "labels": row.labels, **figures.to_json()}
    if as_json_:
        as_json(body)
    else:
        _show(figures, body)


def _show(figures: Figures, body: dict[str, Any]) -> None:
    test = figures.test
    say(f"{body['judge']} on {test.total} examples, threshold from {figures.chosen_on} others (seed {figures.seed})")
    threshold = "none: its own word counts" if figures.threshold is None else f"{figures.threshold:.3f}"
    say(f"  threshold  {threshold}")
    for name in ("accuracy", "precision", "recall"):
        figure = body[name]
        say(f"  {name:<10} {_value(figure['value'])} {figure['numerator']}/{figure['denominator']}{_interval(figure)}")
    say(f"  kappa      {_value(test.kappa)}{_interval(body['kappa'])}")
    if figures.own != test:
        around = _interval(body["own"]["kappa"])
        say(f"  own kappa  {_value(figures.own.kappa)}{around}: of its verdicts as they are kept")
    say(f"  AUC        {_value(figures.auc)}{_interval(body['auc'])}")
    say(f"  base rate  {_value(test.base_rate.value)} {test.base_rate}")
    say(f"  confusion  {test.tp} true +, {test.fp} false +, {test.fn} false -, {test.tn} true -")
    if figures.unresolved:
        say(f"  {figures.unresolved} unresolved are left out")
    for name, found in figures.by_category.items():
        around = _interval(body["by_category"][name]["accuracy"])
        say(f"  {name:<20} accuracy {found.accuracy}{around}, base rate {found.base_rate}")
    for miss in figures.misses:
        score = "" if miss.score is None else f" ({miss.score:.3f})"
        said, label = ("supported", "not") if miss.said or not miss.label else ("not supported", "supported")
        say(f"  miss {miss.name}: says {said}{score}, is {label}: {miss.statement}")
        for passage in miss.passages:
            say(f"       | {passage}")
    note("All figures are of the half that did not choose the threshold; intervals are at 95 %.")


def _value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _interval(figure: dict[str, Any]) -> str:
    interval = figure["interval"]
    return "" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]"
