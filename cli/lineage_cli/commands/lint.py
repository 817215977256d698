"""``lint``: what is wrong with the citations of answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, note, say
from lineage_cli.texts import lines_of, read_text

if TYPE_CHECKING:
    from lineage_scoring.lint import Finding

STYLES = {"error": "red", "warning": "yellow", "info": "dim"}


@command(
    "lint",
    "lineage lint answer.md --sources sources.jsonl",
    "lineage lint --answer Original --exit-code",
    "lineage lint - --sources sources.jsonl --json",
)
def lint(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="An answer's text; - reads it from standard input.")
    ] = None,
    sources: Annotated[
        Path | None, typer.Option("--sources", metavar="FILE", help="What markers mean: JSON Lines with id, text, ….")
    ] = None,
    answer: Annotated[
        str | None, typer.Option("--answer", metavar="ANSWER", help="An answer of the store, with what it cites.")
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 where there are errors or warnings.")
    ] = False,
    as_json_: Json = False,
) -> None:
    """Check that markers resolve, quotes are there, and references say what documents were registered with.

    Either a FILE with --sources, or --answer: then the answer's text and what it cites come from the store; a FILE
    beside it is linted in place of the stored text.
    """
    from lineage_scoring.lint import lint as linted
    from lineage_scoring.lint.sources import sources_in, sources_of

    if (sources is None) == (answer is None):
        raise typer.BadParameter("say what the markers mean: --sources FILE, or --answer ANSWER")
    if file is None and answer is None:
        raise typer.BadParameter("name the FILE with the answer's text")
    text = None if file is None else read_text(Path(file))
    if answer is None:
        parts = [(file or "-", text or "", sources_of(*lines_of(sources)))]
    else:
        with opened(read_only=True) as graph:
            loaded = graph.cited(graph.answers(answer))
        parts = [(each.key, each.text or "" if text is None else text, sources_in(each)) for each in loaded]
    found = [(name, finding) for name, words, known in parts for finding in linted(words, known)]
    if as_json_:
        as_json([{"file": name, **finding.to_json()} for name, finding in found])
    else:
        for name, finding in found:
            _show(name, finding)
        note(f"{len(found)} findings" if found else "no findings")
    if exit_code and any(finding.level != "info" for _, finding in found):
        raise typer.Exit(1)


def _show(name: str, finding: Finding) -> None:
    place = f"{name}:{finding.line}:{finding.column}"
    words = f"{place} {finding.level} {finding.rule}: {finding.found} (expected {finding.expected})"
    say(words, STYLES[finding.level])
