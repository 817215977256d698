"""``init``, ``migrate``, ``doctor``, ``verify``: the store itself."""

from __future__ import annotations

import typer

from lineage_cli.app import command, opened, store, url
from lineage_cli.options import Json
from lineage_cli.output import as_json, progress, say
from lineage_schema.errors import Integrity


@command("init", "lineage init", "lineage init --store sqlite:////var/lib/lineage/help.db")
def init(as_json_: Json = False) -> None:
    """Create an empty store. One that is there already is left alone."""
    from lineage.graph import now
    from lineage.urls import init_store

    steps = init_store(url(), now)
    as_json({"store": url(), "steps": steps}) if as_json_ else say(f"created {url()} (schema {steps[-1]})")


@command("migrate", "lineage migrate")
def migrate(as_json_: Json = False) -> None:
    """Upgrade an older store's schema. No other command does."""
    from lineage.graph import now
    from lineage.urls import migrate_store

    steps = migrate_store(url(), now)
    if as_json_:
        as_json({"store": url(), "steps": steps})
    else:
        say(f"{url()}: " + (f"applied {', '.join(steps)}" if steps else "up to date"))


@command("doctor", "lineage doctor", "lineage doctor --json")
def doctor(as_json_: Json = False) -> None:
    """Show which store is meant, what is in it, and pending work."""
    where = store()
    with opened(read_only=True) as graph:
        report = graph.doctor()
    if as_json_:
        as_json({"store": where.url, "named_by": where.origin, **report.to_json()})
        return
    say(f"url          {where.url} (named by {where.origin})")
    for line in report.lines():
        say(line)


@command("verify", "lineage verify", "lineage verify --json")
def verify(as_json_: Json = False) -> None:
    """Re-derive every id, hash, slice, anchor and mark, and list what disagrees. Exit code 5 if anything does."""
    with opened(read_only=True) as graph, progress("verifying") as bar:
        report = graph.verify(bar)
    if as_json_:
        as_json(report.to_json())
    else:
        for fault in report.faults:
            say(f"{fault.item}: {fault.field}: expected {fault.expected}, found {fault.found}")
        if report.omitted:
            say(f"… and {report.omitted} more faults that are not listed")
        checked = ", ".join(f"{count} {what}" for what, count in report.checked.items())
        say(f"{len(report.faults) + report.omitted} faults in {checked}")
    if report.faults:
        raise typer.Exit(Integrity.exit_code)
