"""One module a command, or a few that belong together; importing one registers it."""

from importlib import import_module

MODULES = (
    "demo",
    "store",
    "add",
    "importing",
    "record",
    "find",
    "trace",
    "correct",
    "affected",
    "check",
    "plan",
    "schema",
)


def load_all() -> None:
    """Registers all commands, in the order in which the help lists them."""
    for name in MODULES:
        import_module(f"lineage_cli.commands.{name}")
