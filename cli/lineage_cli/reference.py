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
HEAD = """\
# Command reference

Made by `make docs` from the commands' own help. The store is `--store`, else `LINEAGE_STORE`, else
`store` in `lineage.toml`, else `sqlite:///lineage.db`. `--store` and `--debug` stand before the command or behind it.

Exit codes: 0 done, 1 a predicate that is false, 2 usage, 3 not found, 4 store unavailable,
5 integrity failure, 6 bad input, 7 cannot decide. Beside these, 70 is a fault of the program itself, 74 a file or
stream that could not be read or written, and 130 an interrupt.

`lineage --install-completion` installs completion for the shell it is run in.
"""


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
    parts = [HEAD.rstrip("\n")]
    for name, command in commands():
        parts += ["", f"## lineage {name}", "", *_text(command.help or "")]
        shown = [each for each in command.params if not getattr(each, "hidden", False)]
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            listed = [each for each in shown if each.param_type_name == kind]
            if listed:
                parts += ["", f"{title}:", "", *(_parameter(each) for each in listed)]
    return "\n".join(parts) + "\n"


def _text(text: str) -> list[str]:
    """Help as Markdown: paragraphs as they are, examples as a block."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        body = [line.strip() for line in paragraph.splitlines()]
        if body[0] == "\b":
            body = ["```sh", *body[1:], "```"]
        lines += ["", *body] if lines else body
    return lines


def _parameter(each: Any) -> str:
    if each.param_type_name == "argument":
        name = each.metavar
    else:
        name = ", ".join(each.opts) + ("" if each.is_flag else f" {each.metavar}")
    default = each.default
    if default in (None, "", ()) or isinstance(default, bool):
        said = ""
    else:
        said = f" Default: `{getattr(default, 'value', default)}`."
    return f"- `{name}`: {each.help or ''}{said}".rstrip(": ")


if __name__ == "__main__":
    page = reference()
    if "--check" in sys.argv:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page:
            sys.exit("docs/reference.md is not what the commands say: make docs")
    else:
        sys.stdout.write(page)
