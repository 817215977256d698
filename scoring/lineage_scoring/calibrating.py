"""Calibrating a judge: it is asked about labelled examples, and how it did is kept beside its verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lineage.graph import LineageGraph
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput, MissingJudgment
from lineage_schema.judgments import Calibration, JudgeId
from lineage_schema.vocabulary import Verdict
from lineage_scoring.calibration import Example, Figures, calibrate
from lineage_scoring.judging import Judge
from lineage_scoring.labels import Labelled, digest
from lineage_scoring.running import run
from lineage_scoring.verdicts import Lack, gather, missing

MILLION = 1_000_000


def ask(
    graph: LineageGraph,
    judge: Judge,
    labels: Sequence[Labelled],
    *,
    concurrency: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> None:
    """Asks a judge about labelled examples, as far as its verdicts are not kept. Raises :class:`MissingJudgment`."""
    requests = [each.request for each in labels]
    done = run(judge, requests, graph.judgments, concurrency=concurrency, on_progress=on_progress)
    if done.failures:
        raise MissingJudgment(f"{len(done.failures)} requests failed: {done.failures[0][1]}", hint="run it again")


def examples_of(graph: LineageGraph, judge: JudgeId, labels: Sequence[Labelled]) -> tuple[list[Example], int]:
    """The labelled examples with a judge's kept verdicts, and how many it left unresolved.

    Raises :class:`MissingJudgment` where there is no verdict, or differing ones between which nobody decided.
    """
    verdicts = gather(graph.judgments, judge, [each.request for each in labels])
    found, lacks, unresolved = [], [], 0
    for each in labels:
        held = verdicts.find(each.request)
        if held is None:
            why = verdicts.why(each.request) or "missing"
            lacks.append(Lack(why, each.request.statement, (), each.name, "", "label"))
        elif held.verdict is Verdict.UNRESOLVED:
            unresolved += 1
        else:
            texts = tuple(passage.text for passage in each.request.passages)
            found.append(
                Example(
                    each.name, each.label is Verdict.SUPPORTED, held.verdict is Verdict.SUPPORTED, held.score,
                    each.category, each.request.statement, texts,
                )
            )  # fmt: skip
    if lacks:
        raise missing(lacks, judge)
    return found, unresolved


def keep(graph: LineageGraph, judge: JudgeId, labels: Sequence[Labelled], figures: Figures) -> Calibration:
    """Keeps a calibration, with the kappa of the judge's own verdicts. Figures are kept as decimal texts."""
    kappa = figures.own.kappa
    body = canonical_json(_texts(figures.to_json()), item="calibration")
    row = Calibration(
        judge, digest(labels), figures.seed, None if kappa is None else round(kappa * MILLION), body
    )  # fmt: skip
    graph.judgments.keep_calibration(row)
    return row


def calibrated(
    graph: LineageGraph,
    judge: JudgeId,
    labels: Sequence[Labelled],
    seed: int,
) -> Figures:
    """Figures from kept verdicts. Raises as :func:`examples_of` and :func:`calibrate` do."""
    examples, unresolved = examples_of(graph, judge, labels)
    return calibrate(examples, seed, unresolved=unresolved)


def gate(graph: LineageGraph, judge: JudgeId, least: float) -> Calibration:
    """The last calibration of a judge whose scores are to be used as a gate.

    Raises :class:`MissingJudgment` (it cannot be decided) where it says of itself that it does not gate, was never
    calibrated, or its kappa is under ``least``. Raises :class:`BadInput` for a kappa that is none.
    """
    if not -1 <= least <= 1:
        raise BadInput("gate", "kappa", found=least, expected="a number from -1 to 1")
    name = f"{judge.name}@{judge.version}"
    if not judge.gates:
        raise MissingJudgment(f"judge {name} is a baseline: it does not gate", hint="name another with --judge")
    rows = graph.judgments.calibrations(judge)
    if not rows:
        hint = f"lineage calibrate --labels builtin --judge {judge.name}"
        raise MissingJudgment(f"judge {name} was never calibrated in this store", hint=hint)
    kappa = rows[-1].kappa
    if kappa is None or kappa < least * MILLION:
        shown = "undefined" if kappa is None else f"{kappa / MILLION:.3f}"
        raise MissingJudgment(f"judge {name} has kappa {shown}, under the {least:g} that the gate asks for")
    return rows[-1]


def _texts(value: object) -> object:
    """The same with numbers that have a fraction as texts: canonical JSON has no floats."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: _texts(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_texts(each) for each in value]
    return value
