"""The application, its common options, and how a command gets at its store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from lineage.graph import LineageGraph
from lineage_cli.settings import store_url

app = typer.Typer(
    name="lineage",
    help="What answers stand on, and which of them a source correction affected.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(slots=True)
class Common:
    """Options of all commands."""

    store: str | None = None
    debug: bool = False


COMMON = Common()

Json = Annotated[bool, typer.Option("--json", help="Print JSON: pure data on standard output.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is kept and shown.")]
By = Annotated[str | None, typer.Option("--by", help="Who decided.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the report and write nothing.")]
Enqueue = Annotated[bool, typer.Option("--enqueue", help="Commit, and leave the propagation to 'lineage propagate'.")]


def command(name: str, **more: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers a command."""
    return app.command(name, **more)


def opened(*, read_only: bool = False) -> LineageGraph:
    """The store of this call, which must exist."""
    return LineageGraph.open(url(), read_only=read_only)


def url() -> str:
    """The URL of the store of this call."""
    return store_url(COMMON.store)
