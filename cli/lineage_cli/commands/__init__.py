"""One module a command, or a few that belong together; importing one registers it."""

from importlib import import_module

from lineage_cli.app import app

MODULES = (
    "demo",
    "store",
    "add",
    "importing",
    "record",
    "find",
    "trace",
    "correct",
    "propagate",
    "affected",
    "check",
    "plan",
    "dismiss",
    "score",
    "judge",
    "split",
    "reverify",
    "calibrate",
    "lint",
    "copying",
    "exporting",
    "schema",
)


def load_all() -> None:
    """Registers all commands, in the order in which the help lists them."""
    names = [f"lineage_cli.commands.{name}" for name in MODULES]
    for name in names:
        import_module(name)
    # Whoever imported one of them alone before has registered it before the others.
    app.registered_commands.sort(key=lambda each: names.index(getattr(each.callback, "__module__", names[-1])))
