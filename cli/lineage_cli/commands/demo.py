"""``demo``: a small store from shipped data, with one correction to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lineage import Conflict, LineageGraph
from lineage_cli.app import command
from lineage_cli.output import say
from lineage_cli.render.affected import render


@command("demo")
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to make it.")] = Path("lineage-demo"),
) -> None:
    """Build a small store from shipped data, correct one sentence, and show what that affected.

    Example: lineage demo
    """
    from lineage.demo.loading import corrected_text, load

    path = folder / "lineage.db"
    if path.exists():
        raise Conflict(f"{path} exists already", hint="remove it, or give another folder: lineage demo DIR")
    address = f"sqlite:///{path}"
    with LineageGraph.open(address, create=True) as graph:
        loaded = load(graph)
        graph.propagate()
        graphrag, raptor = loaded.graphrag.to_json()["written"], loaded.raptor.to_json()["written"]
        say(
            f"Harbor Outfitters' handbook: {loaded.documents} documents; a GraphRAG-shaped index"
            f" ({graphrag.get('entity', 0)} entities, {graphrag.get('relationship', 0)} relationships,"
            f" {graphrag.get('report', 0)} reports); a RAPTOR-shaped tree ({raptor.get('chunk', 0)} leaves,"
            f" {raptor.get('summary', 0)} summaries); {loaded.answers.written['answer']} answers with"
            f" {loaded.answers.written['claim']} claims; the returns desk → {path}"
        )
        uri, text, reason = corrected_text()
        done = graph.correct({uri: text}, reason=reason)
        render(graph.affected(str(done.id)).to_json(), hints=False)
    say(f"Try next, with --store {address} before the command:")
    for line in (
        "lineage affected last          lineage check returns       lineage trace claim:demo/returns/C1",
        "lineage plan                   lineage find '30 days'      lineage undo last --dry-run",
    ):
        say(f"  {line}")
