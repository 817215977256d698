"""``score``: does the cited material support what answers say?"""

from __future__ import annotations

import csv
import io
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, as_ndjson, data, note, say
from lineage_cli.texts import lines_of, read_text

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage_schema.judgments import JudgeId
    from lineage_scoring.desk import AnswerScore, StatementScore
    from lineage_scoring.score import Audit, Score


class Format(StrEnum):
    """How the score is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    NDJSON = "ndjson"
    DESK = "desk"


class Profile(StrEnum):
    """Which figures."""

    DESK = "desk"
    AUDIT = "audit"
    ALCE = "alce"


Items = Annotated[
    Path | None, typer.Option("--items", metavar="FILE", help="ALCE's items, as its evaluator reads them (JSON).")
]
Qampari = Annotated[bool, typer.Option("--qampari", help="With --items: outputs are lists.")]
AtMost = Annotated[
    int, typer.Option("--at-most-citations", metavar="N", min=0, help="With --items: of a statement, as ALCE caps.")
]


class Rules(StrEnum):
    """Whose count of the same verdicts."""

    DESK = "desk"
    ALCE = "alce"


@command(
    "score",
    "lineage score Original",
    "lineage score --all --namespace desk --json",
    "lineage score Padded --claim C1 --format desk",
    "lineage score Original --judge recorded --rules alce",
)
def score(
    answers: Annotated[
        list[str] | None,
        typer.Argument(metavar="ANSWER…", help="Answers' keys, cache keys or ids.", show_default=False),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All current answers.")] = False,
    namespace: Annotated[str | None, typer.Option("--namespace", metavar="NS", help="With --all: of this one.")] = None,
    judge: Annotated[
        str, typer.Option("--judge", metavar="NAME[@VERSION]", help="Whose kept verdicts are counted.")
    ] = "recorded",
    profile: Annotated[
        Profile, typer.Option("--profile", metavar="|".join(Profile), help="Which figures.")
    ] = Profile.DESK,
    rules: Annotated[
        Rules, typer.Option("--rules", metavar="|".join(Rules), help="How they are counted.")
    ] = Rules.DESK,
    claim: Annotated[str | None, typer.Option("--claim", metavar="LABEL", help="Print this statement only.")] = None,
    beside: Annotated[
        str | None,
        typer.Option("--with", metavar="PART,…", help="Also faithfulness, fidelity, correctness, completeness."),
    ] = None,
    parts: Annotated[
        Path | None,
        typer.Option("--parts", metavar="FILE", help="Audit: parts of compound claims, JSON Lines; they are kept."),
    ] = None,
    reference: Annotated[
        Path | None, typer.Option("--reference", metavar="FILE", help="What answers should say, JSON Lines.")
    ] = None,
    items: Items = None,
    qampari: Qampari = False,
    at_most: AtMost = 3,
    gate: Annotated[
        bool, typer.Option("--gate", help="Refuse a judge without a calibration, or under the kappa (exit code 7).")
    ] = False,
    kappa: Annotated[
        float | None, typer.Option("--kappa", metavar="K", help="With --gate: the least Cohen's kappa.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the score beside the answers; it never changes.")] = False,
    format_: Annotated[
        Format, typer.Option("--format", metavar="|".join(Format), help="How to print it.")
    ] = Format.TABLE,
    as_json_: Json = False,
) -> None:
    """Score the citations of answers: what is supported, and which citations earn credit.

    Only kept verdicts are counted, and no judge is called. A verdict that is missing or unresolved stops the score with
    the list of all that are (exit code 7): 'judge run' asks a judge, 'judge export' and 'judge import' ask people.
    """
    from lineage_scoring.calibrating import gate as gated
    from lineage_scoring.inputs import references_of
    from lineage_scoring.score import audit
    from lineage_scoring.score import score as scored
    from lineage_scoring.verdicts import judge_of

    if (items is None) != (profile is not Profile.ALCE):
        raise typer.BadParameter("--profile alce and --items FILE go together: it scores a file of ALCE's items")
    if items is None and bool(answers) == all_:
        raise typer.BadParameter("name answers, or say --all")
    if namespace is not None and not all_:
        raise typer.BadParameter("--namespace goes with --all")
    if gate != (kappa is not None):
        raise typer.BadParameter("--gate and --kappa go together: a gate has no default")
    if parts is not None and profile is not Profile.AUDIT:
        raise typer.BadParameter("--parts goes with --profile audit")
    with opened(read_only=not keep and parts is None) as graph:
        who = judge_of(graph.judgments, judge)
        if gate and kappa is not None:
            gated(graph, who, kappa)
        if items is not None:
            _alce(graph, who, items, qampari, at_most, as_json_ or format_ is Format.JSON)
            return
        ids = graph.answers(*(answers or ()), namespace=namespace)
        if profile is Profile.AUDIT:
            json_ = as_json_ or format_ is Format.JSON
            given = kept_parts(graph, ids, parts, quiet=json_)
            _audit(audit(graph, ids, who, given=given), json_)
            return
        result = scored(
            graph, ids, who, rules=rules.value, beside=[part for part in (beside or "").split(",") if part],
            references=references_of(*lines_of(reference)),
        )  # fmt: skip
        if keep:
            graph.judgments.keep_scores(result.records())
    _print(result, Format.JSON if as_json_ else format_, claim)


def kept_parts(
    graph: LineageGraph, answers: list[str], file: Path | None, *, quiet: bool
) -> dict[str, tuple[str, ...]]:
    """The parts that a file gives, by the claim's text. They are kept under the claims of answers (ids) first.

    Unless ``quiet``, for programs, it is told which of them are of no claim: the file may be of more answers.
    """
    from lineage_scoring.inputs import parts_of
    from lineage_scoring.parts import keep_given

    given = parts_of(*lines_of(file))
    if given:
        unknown = keep_given(graph.judgments, graph.cited(answers), given)
        if unknown and not quiet:
            note(f"{file}: {len(unknown)} of {len(given)} texts are no claim of these answers, such as: {unknown[0]}")
    return given


def _alce(graph: LineageGraph, who: JudgeId, file: Path, qampari: bool, at_most: int, json_: bool) -> None:
    from lineage_scoring.alce_items import evaluate, items_of
    from lineage_scoring.score import CAVEAT
    from lineage_scoring.verdicts import judge_json

    items = items_of(read_text(file))
    result = evaluate(graph.judgments, who, items, at_most_citations=at_most, qampari=qampari)
    if json_:
        as_json({"schema": "alce/1", "profile": "alce", "judge": judge_json(who), **result.to_json(), "caveat": CAVEAT})
        return
    recall, precision = (
        "N/A" if figure != figure else f"{figure:.2f}" for figure in (result.citation_rec, result.citation_prec)
    )
    say(f"citation recall {recall} ({result.entailed}/{result.sentences} statements)")
    say(f"citation precision {precision} ({result.precise}/{result.citations} citations)")
    note(f"profile alce, {result.scored} answers ({result.empty} empty ones left out), judge {who.name}@{who.version}")
    note(CAVEAT)


def _audit(result: Audit, json_: bool) -> None:
    from lineage_scoring.score import CAVEAT
    from lineage_scoring.verdicts import names_of

    if json_:
        as_json(result.to_json())
        return
    for answer in result.answers:
        say(f"{answer.answer.key}: coverage {answer.coverage}; link precision {answer.precision}")
        for claim, found, _ in answer.claims:
            say(f"  {claim.label} {'covered' if found.covered else 'not covered'}  {claim.text}")
            for part in found.parts if len(found.parts) > 1 else ():
                say(f"       {'yes' if part.supported else 'no '} {part.text}")
    for splitter, count in result.splitters():
        note(f"parts of {count} claims by {names_of(splitter)[-1].removesuffix('{}')}")
    note(f"profile audit, judge {result.judge.name}@{result.judge.version}")
    note(CAVEAT)


def _print(result: Score, format_: Format, claim: str | None) -> None:
    match format_:
        case Format.JSON:
            as_json(result.to_json())
        case Format.NDJSON:
            body = result.to_json()
            as_ndjson([*body.pop("answers"), body])
        case Format.CSV:
            data(_csv(result))
        case Format.DESK:
            from lineage_scoring.desk import objects

            for answer, statement in _statements(result, claim):
                for each in objects(statement, answer):
                    as_json(each)
        case Format.TABLE:
            _table(result, claim)


def _statements(result: Score, label: str | None) -> list[tuple[AnswerScore, StatementScore]]:
    found = [
        (answer, statement)
        for answer in result.answers
        for statement in answer.statements
        if label is None or statement.claim.label == label
    ]
    if label is not None and not found:
        labels = dict.fromkeys(each.claim.label for answer in result.answers for each in answer.statements)
        raise typer.BadParameter(f"no statement is called {label!r}: {', '.join(labels)}")
    return found


def _table(result: Score, label: str | None) -> None:
    shown = _statements(result, label)
    for answer in result.answers:
        mine = [statement for owner, statement in shown if owner is answer]
        if not mine and label is not None:
            continue
        say(f"{answer.answer.key}: recall {answer.recall}; precision {answer.precision}")
        for statement in mine:
            _statement(statement)
        if answer.uncounted:
            say(f"  {answer.uncounted} need no evidence, and are not counted")
    if len(result.answers) > 1 and label is None:
        for word, mean in (("recall", result.recall), ("precision", result.precision)):
            macro = "N/A" if mean.macro is None else f"{mean.macro:.3f}"
            left = f", {mean.left_out} without one left out" if mean.left_out else ""
            say(f"{word}: micro {mean.micro}, macro {macro} over {mean.scored} answers{left}")
    checks = result.checks
    for word, found in (
        ("is not monotone", checks.not_monotone),
        ("depends on the order of passages", checks.order),
        ("did not see all of the text", checks.cut),
    ):
        if found:
            note(f"the judge {word}: {len(found)} times (--json lists them)")
    note(f"profile {result.profile}, rules {result.rules}, judge {result.judge.name}@{result.judge.version}")
    from lineage_scoring.score import CAVEAT

    note(CAVEAT)


def _statement(statement: StatementScore) -> None:
    claim = statement.claim
    if not statement.counted:
        word, style = "–", "dim"
    elif statement.supported:
        word, style = "yes", "green"
    else:
        word, style = ("no" if claim.cited else "no citation"), "red"
    say(f"  {claim.label} {word:<4} {claim.text}", style)
    if statement.reason and not statement.supported:
        say(f"       {statement.reason}")
    for check in statement.checks:
        say(f"       [{check.name}] {'credit' if check.precise else 'none  '}  {check.reason}")


def _csv(result: Score) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        "profile rules answer claim statement counted supported verdict citation alone without precise reason".split()
    )
    for answer, statement in _statements(result, None):
        head = [
            result.profile, result.rules, answer.answer.key, statement.claim.label, statement.claim.text,
            int(statement.counted), int(statement.supported), statement.verdict.value,
        ]  # fmt: skip
        for check in statement.checks:
            rows.writerow([*head, check.name, check.alone, check.without, int(check.precise), check.reason])
        if not statement.checks:
            rows.writerow([*head, "", "", "", "", statement.reason or ""])
    return out.getvalue()
