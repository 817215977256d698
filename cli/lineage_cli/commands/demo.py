"""``demo``: a small store from shipped data, with one correction to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import COMMON, command
from lineage_cli.output import say
from lineage_schema.errors import BadInput, Conflict

NEXT = (
    "lineage affected last          lineage check returns       lineage trace claim:demo/returns/C1",
    "lineage plan                   lineage find '30 days'      lineage undo last --dry-run",
)


FOLDER = Path("lineage-demo")


@command("demo", "lineage demo", "lineage demo /tmp/harbor", "lineage demo --store neo4j://localhost:7687/neo4j")
def demo(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Where to make it.", show_default=str(FOLDER))
    ] = None,
) -> None:
    """Build a small store from shipped data, correct one sentence, and show what that affected.

    The store is DIR/lineage.db, or the one that --store names. One that is there already is left alone.
    """
    if COMMON.store is not None and folder is not None:
        raise BadInput("demo", "DIR", found=str(folder), expected="either a folder or --store")
    path = (folder or FOLDER) / "lineage.db"
    if COMMON.store is None and path.exists():
        raise Conflict(f"{path} exists already", hint="remove it, or give another folder: lineage demo DIR")
    from lineage.demo.loading import corrected_text, load
    from lineage.graph import LineageGraph
    from lineage_cli.render.affected import show

    address = COMMON.store or f"sqlite:///{path}"
    with LineageGraph.open(address, create=True) as graph:
        if graph.holds_documents():
            raise Conflict(f"{address} holds documents already", hint="give an empty store")
        loaded = load(graph)
        graph.propagate()
        graphrag, raptor = loaded.graphrag.to_json()["written"], loaded.raptor.to_json()["written"]
        say(
            f"Harbor Outfitters' handbook: {loaded.documents} documents; a GraphRAG-shaped index"
            f" ({graphrag.get('entity', 0)} entities, {graphrag.get('relationship', 0)} relationships,"
            f" {graphrag.get('report', 0)} reports); a RAPTOR-shaped tree ({raptor.get('chunk', 0)} leaves,"
            f" {raptor.get('summary', 0)} summaries); {loaded.answers.written['answer']} answers with"
            f" {loaded.answers.written['claim']} claims; the returns desk → {COMMON.store or path}"
        )
        uri, text, reason = corrected_text()
        done = graph.correct({uri: text}, reason=reason)
        # What stands above and below the report takes this many lines.
        show(graph.affected(str(done.id)).to_json(), hints=False, spare=len(NEXT) + 4)
    say(f"Try next, with --store {address}, or after export LINEAGE_STORE={address}:")
    for line in NEXT:
        say(f"  {line}")
