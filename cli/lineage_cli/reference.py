"""Writes the command reference from the commands themselves: ``python -m lineage_cli.reference [--check]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from lineage_cli.app import app
from lineage_cli.commands import load_all

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by its full name, in the order of the help."""
    load_all()
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            for inner, each in command.commands.items():
                yield f"{name} {inner}", each
        else:
            yield name, command


def reference() -> str:
    """The page."""
    parts = [
        "# Command reference",
        "",
        "Made by `make docs` from the commands' own help. The store is `--store`, else `LINEAGE_STORE`, else",
        "`store` in `lineage.toml`, else `sqlite:///lineage.db`. `--store` and `--debug` come before the command.",
        "",
        "Exit codes: 0 done, 1 a predicate that is false, 2 usage, 3 not found, 4 store unavailable,",
        "5 integrity failure, 6 bad input, 7 cannot decide.",
    ]
    for name, command in commands():
        parts += ["", f"## lineage {name}", "", *_text(command.help or "")]
        arguments = [each for each in command.params if each.param_type_name == "argument"]
        options = [each for each in command.params if each.param_type_name == "option"]
        if arguments:
            parts += ["", "Arguments:", ""]
            parts += [f"- `{each.metavar or each.name.upper()}`: {each.help or ''}".rstrip(": ") for each in arguments]
        if options:
            parts += ["", "Options:", ""]
            parts += [f"- `{', '.join(each.opts)}`: {each.help or ''}".rstrip(": ") for each in options]
    return "\n".join(parts) + "\n"


def _text(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


if __name__ == "__main__":
    page = reference()
    if "--check" in sys.argv:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page:
            sys.exit("docs/reference.md is not what the commands say: make docs")
    else:
        sys.stdout.write(page)
