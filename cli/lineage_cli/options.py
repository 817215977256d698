"""Options that several commands share, so that they read and behave alike."""

from __future__ import annotations

from typing import Annotated

import typer

BATCH = 1000
"""Records in a batch, unless another number is given."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON: pure data on standard output.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept and shown.")]
By = Annotated[str | None, typer.Option("--by", metavar="WHO", help="Who decided.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the report and write nothing.")]
Enqueue = Annotated[bool, typer.Option("--enqueue", help="Commit, and leave the propagation to 'lineage propagate'.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 where there are findings.")]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many nodes; says how many it cut.")
]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="SEQ|TIME", help="As it was then.")]
