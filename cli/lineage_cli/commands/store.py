"""``init``, ``migrate``, ``doctor``, ``verify``: the store itself."""

from __future__ import annotations

import typer

from lineage.graph import now
from lineage.urls import init_store, migrate_store
from lineage_cli.app import Json, command, opened, url
from lineage_cli.output import as_json, progress, say
from lineage_schema.errors import Integrity


@command("init")
def init(as_json_: Json = False) -> None:
    """Create an empty store.

    Example: lineage --store sqlite:///lineage.db init
    """
    steps = init_store(url(), now)
    as_json({"store": url(), "steps": steps}) if as_json_ else say(f"created {url()} (schema {steps[-1]})")


@command("migrate")
def migrate(as_json_: Json = False) -> None:
    """Upgrade an older store's schema.

    Example: lineage migrate
    """
    steps = migrate_store(url(), now)
    if as_json_:
        as_json({"store": url(), "steps": steps})
    else:
        say(f"{url()}: " + (f"applied {', '.join(steps)}" if steps else "up to date"))


@command("doctor")
def doctor(as_json_: Json = False) -> None:
    """Show the state of the store and pending work.

    Example: lineage doctor
    """
    with opened(read_only=True) as graph:
        report = graph.doctor()
    if as_json_:
        as_json(report.to_json())
        return
    for line in report.lines():
        say(line)


@command("verify")
def verify(as_json_: Json = False) -> None:
    """Re-derive every id, hash, slice, anchor and mark, and list what disagrees. Exit code 5 if anything does.

    Example: lineage verify
    """
    with opened(read_only=True) as graph, progress("verifying") as bar:
        report = graph.verify(bar)
    if as_json_:
        as_json(report.to_json())
    else:
        for fault in report.faults:
            say(f"{fault.item}: {fault.field}: expected {fault.expected}, found {fault.found}")
        checked = ", ".join(f"{count} {what}" for what, count in report.checked.items())
        say(f"{len(report.faults)} faults in {checked}")
    if report.faults:
        raise typer.Exit(Integrity.exit_code)
