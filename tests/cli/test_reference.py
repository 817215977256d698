"""The command reference is made from the commands, is current, and each command has an example that parses."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer

from lineage_cli.app import app
from lineage_cli.reference import PAGE, commands, reference

COMMANDS = dict(commands())


def test_it_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "make docs"


def test_every_command_is_in_it() -> None:
    page = reference()
    expected = "add affected calibrate check correct corrections demo dismiss dump doctor find history impact"
    expected += " init lint load migrate plan propagate record reverify schema score trace undo verify withdraw"
    grouped = {f"judge {name}" for name in "conflicts export import list resolve run split".split()}
    assert set(expected.split()) | {"export neo4j-csv", "import graphrag", "import raptor"} | grouped == set(COMMANDS)
    for name in COMMANDS:
        assert f"\n## lineage {name}\n" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_come_first_and_parse(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = COMMANDS[name]
    paragraphs = command.help.split("\n\n")
    assert paragraphs[1] in ("Example:", "Examples:")
    examples = [line.strip() for line in paragraphs[2].splitlines() if line.strip("\b ")]
    assert examples
    for example in examples:
        words = shlex.split(example.split("|")[-1].split(" > ")[0])
        assert words[: 1 + len(name.split())] == ["lineage", *name.split()], example
        # Parsed as it would be, and not run.
        context = command.make_context(name, words[1 + len(name.split()) :])
        assert context.params


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_is_explained(name: str) -> None:
    for parameter in COMMANDS[name].params:
        if getattr(parameter, "hidden", False):
            continue
        assert parameter.help, (name, parameter.name)
        if parameter.param_type_name == "argument" or not parameter.is_flag:
            assert parameter.metavar, (name, parameter.name)


def test_the_help_names_every_command_and_an_example(run) -> None:
    told = run("--help")
    assert told.code == 0
    for name in COMMANDS:
        assert f"  {name.split()[0]}  " in told.out
    assert told.out.index("Examples:") < told.out.index("Options:")
    assert typer.main.get_command(app).name == "lineage"


def test_impact_says_what_it_is_not(run) -> None:
    page = " ".join(run("impact", "--help").out.split())
    assert "The impact of a document is that of all its spans." in page
    assert "the changed spans only, is shown by a dry run of 'lineage correct'" in page
