"""The documentation is run: commands with their output, snippets, example records, links, the generated reference.

A ``console`` block holds commands (``$ command``, continued by ``> line``), each followed by its output. The blocks of
a page run in order in one shell, in a fresh directory. Standard output and standard error are compared together, as a
terminal shows them. The rule for what may differ:

- ids, hashes, times, durations, sizes of files, what ``verify`` counted, and the directory itself are masked, see
  ``MASKS``;
- a line that is only ``…`` in a page stands for any number of lines;
- blanks at the ends of lines do not count.

A command that is meant to fail ends in ``; echo $?``; any other has to succeed. ``make`` needs the whole tree and
the network, so ``make demo`` is replaced by what it runs after the installation, ``lineage demo``; ``make test`` runs
this test and is left out.

A ``python`` block may be followed by a ``text`` block: what it prints. The blocks of a page run in order, in one
namespace, in a fresh directory.

``python tests/test_docs.py PAGE…`` writes what the commands and blocks print now into the pages.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from lineage_cli.reference import commands, reference
from lineage_schema.records import RECORD
from lineage_schema.vocabulary import Kind, Origin, Role

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
CONSOLES = [README, DOCS / "forms.md", DOCS / "auditor.md", DOCS / "operator.md", DOCS / "calibration.md"]
SNIPPETS = [README, DOCS / "pipeline-author.md", DOCS / "auditor.md", DOCS / "judges.md"]

INSTEAD = {"make demo": "lineage demo", "make test": ":"}
MASKS = (
    (r"\b([a-z]\d):[0-9a-f]{4,40}(?![0-9a-f])", r"\1:#"),
    (r"\b[0-9a-f]{64}\b", "#"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "TIME"),
    (r'"since": \d+', '"since": TIME'),
    (r"\b\d+\.\d+ m?s\b", "DURATION"),
    (r"\b\d+ file, \d+ free", "SIZES"),
    (r"(?m)^(\d+ faults) in .*", r"\1 in COUNTS"),
)
MARK = "\x1e"


@dataclass(frozen=True)
class Fenced:
    """A fenced block: its language, its text, and where the text is in the page."""

    language: str
    text: str
    start: int
    end: int


def blocks(page: str) -> list[Fenced]:
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.S | re.M)
    return [Fenced(each[1], each[2], each.start(2), each.end(2)) for each in found]


def fenced(path: Path, language: str) -> list[str]:
    return [block.text for block in blocks(path.read_text(encoding="utf-8")) if block.language == language]


def masked(text: str, folder: Path) -> list[str]:
    for name in {str(folder), str(folder.resolve())}:
        text = text.replace(name, "DIR")
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text)
    return [line.rstrip() for line in text.rstrip("\n").split("\n")] if text.strip() else []


def same(said: str, found: str, folder: Path) -> bool:
    """Whether a page says what was found; a line ``…`` of the page stands for any lines."""
    pattern = ""
    for line in masked(said, folder):
        pattern += r"(?:.*\n)*?" if line == "…" else re.escape(line) + "\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in masked(found, folder))) is not None


def typed(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output that the page gives."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", "")
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
    return found


def run_commands(lines: list[str], folder: Path) -> list[tuple[str, int]]:
    """What each command prints, and its exit code. All run in one shell."""
    script = []
    for line in lines:
        script += [f"printf '{MARK}'", INSTEAD.get(line, line), f"printf '{MARK}%d{MARK}' $?"]
    left_out = {"LINEAGE_STORE", "LINEAGE_NEO4J_USER", "LINEAGE_NEO4J_PASSWORD"}
    left_out |= {"FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"}
    environment = {key: value for key, value in os.environ.items() if key not in left_out} | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",  # standard output and standard error in the order of a terminal
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
    )
    parts = done.stdout.split(MARK)[1:]
    return [(parts[at], int(parts[at + 1])) for at in range(0, len(parts) - 1, 3)]


def run_snippets(page: Path, folder: Path) -> Iterator[tuple[Fenced, str]]:
    """The python blocks of a page, each with what it prints."""
    names: dict[str, object] = {"__name__": "snippet"}
    with chdir(folder):
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language == "python":
                line = page.read_text(encoding="utf-8").count("\n", 0, block.start)
                printed = io.StringIO()
                with redirect_stdout(printed):
                    exec(compile("\n" * line + block.text, str(page), "exec"), names)
                yield block, printed.getvalue()


def printed_by(page: str, block: Fenced) -> Fenced | None:
    """The text block right after a python block."""
    after = next((each for each in blocks(page) if each.start > block.end), None)
    if after is None or after.language != "text" or page[block.end : after.start].strip() != "```\n\n```text":
        return None
    return after


@pytest.mark.parametrize("page", CONSOLES, ids=lambda page: page.name)
def test_console_blocks_print_what_they_say(page: Path, tmp_path: Path) -> None:
    pairs = [pair for block in fenced(page, "console") for pair in typed(block)]
    assert pairs, "no console block"
    found = run_commands([command for command, _ in pairs], tmp_path)
    assert len(found) == len(pairs)
    for (command, said), (output, code) in zip(pairs, found, strict=True):
        assert code == 0, f"$ {command}\n{output}"
        assert same(said, output, tmp_path), f"$ {command}\n--- the page says\n{said}--- it prints\n{output}"


@pytest.mark.parametrize("page", SNIPPETS, ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    count = 0
    for block, printed in run_snippets(page, tmp_path):
        count += 1
        said = printed_by(text, block)
        assert same("" if said is None else said.text, printed, tmp_path), f"{block.text}\n--- prints\n{printed}"
    assert count, "no python block"


def test_the_readme_names_both_make_targets() -> None:
    lines = [command for block in fenced(README, "console") for command, _ in typed(block)]
    assert set(INSTEAD) <= set(lines)


def test_example_records_are_valid() -> None:
    """Every line is a record, every type has one, and together, in their order, they can be registered."""
    lines = [line for block in fenced(DOCS / "forms.md", "json") for line in block.splitlines()]
    types = {RECORD.validate_python(json.loads(line)).type for line in lines}
    assert types == set(RECORD.json_schema()["discriminator"]["mapping"])


def test_example_records_can_be_recorded(tmp_path: Path) -> None:
    lines = [line for block in fenced(DOCS / "forms.md", "json") for line in block.splitlines()]
    (tmp_path / "forms.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = run_commands(["lineage init", "lineage record forms.jsonl", "lineage verify"], tmp_path)
    assert [code for _, code in found] == [0, 0, 0], found
    said = "".join(block.text for block in blocks((DOCS / "forms.md").read_text(encoding="utf-8")))
    for finding in re.findall(r"^finding.*$", found[1][0], re.M):
        assert finding in said, finding


def test_every_record_type_and_word_is_documented() -> None:
    forms = (DOCS / "forms.md").read_text(encoding="utf-8")
    kinds = (DOCS / "kinds.md").read_text(encoding="utf-8")
    for type_ in RECORD.json_schema()["discriminator"]["mapping"]:
        assert f"### `{type_}`" in forms, type_
    for kind in Kind:
        assert f"| `{kind.value}` |" in kinds, kind
    for word in [*Role, *Origin]:
        assert f"`{word.value}`" in forms, word


def test_every_field_of_a_record_is_documented() -> None:
    """Each type's own section, or the one of what it shares, names each of its fields."""
    forms = (DOCS / "forms.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", forms, re.S | re.M))
    schema = RECORD.json_schema()
    for type_, where in schema["discriminator"]["mapping"].items():
        for field in schema["$defs"][where.rsplit("/", 1)[-1]]["properties"]:
            assert field in ("type", "run") or f"`{field}`" in sections[type_] or f'"{field}"' in sections[type_], (
                type_,
                field,
            )


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            if target.startswith("http"):
                continue
            there = page.parent / target if target else page
            assert there.exists(), (page.name, target)
            assert not anchor or anchor in _anchors(there), (page.name, target, anchor)


def test_the_reference_is_what_the_commands_say() -> None:
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == reference()


def test_every_command_has_help_and_an_example() -> None:
    for name, command in commands():
        assert f"lineage {name}" in (command.help or "").replace("lineage --store sqlite:///lineage.db ", "lineage "), (
            name
        )
        assert "Example" in (command.help or ""), name


def test_a_page_that_says_otherwise_is_found(tmp_path: Path) -> None:
    """The comparison itself: masks, the line that stands for lines, and a wrong word."""
    found = f"c1:{'0' * 40} at 2026-01-01T00:00:00Z in 1.2 s\nfile {tmp_path}/a\nlast\n"
    assert same(f"c1:{'f' * 40} at 2027-01-01T00:00:00Z in 9.9 s\nfile {tmp_path}/a\nlast\n", found, tmp_path)
    assert same("…\nlast\n", found, tmp_path)
    assert not same("…\nfirst\n", found, tmp_path)
    assert not same("", found, tmp_path)
    with tempfile.TemporaryDirectory() as folder:
        assert run_commands(["echo one", "echo two >&2; false"], Path(folder)) == [("one\n", 0), ("two\n", 1)]


def _write_consoles(path: Path, folder: Path) -> None:
    page = path.read_text(encoding="utf-8")
    listed = [block for block in blocks(page) if block.language == "console"]
    found = iter(run_commands([command for block in listed for command, _ in typed(block.text)], folder))
    texts = []
    for block in listed:
        text = ""
        for command, said in typed(block.text):
            output, code = next(found)
            if code:
                print(f"{path.name}: exit code {code}: {command}\n{output}", file=sys.stderr)
            kept = said if same(said, output, folder) else output
            text += "$ " + command.replace("\n", "\n> ") + "\n" + kept
        texts.append(text)
    for block, text in reversed(list(zip(listed, texts, strict=True))):
        page = page[: block.start] + text + page[block.end :]
    path.write_text(page, encoding="utf-8")


def _write_printed(path: Path, folder: Path) -> None:
    page = path.read_text(encoding="utf-8")
    edits = []
    for block, printed in run_snippets(path, folder):
        said = printed_by(page, block)
        if said is not None and not same(said.text, printed, folder):
            edits.append((said.start, said.end, printed))
        elif said is None and printed:
            edits.append((block.end + 4, block.end + 4, f"\n```text\n{printed}```\n"))
    for start, end, text in reversed(edits):
        page = page[:start] + text + page[end:]
    path.write_text(page, encoding="utf-8")


def write(pages: list[Path]) -> None:
    """Writes what commands and snippets print now into the pages."""
    work: list[Callable[[Path, Path], None]] = [_write_consoles, _write_printed]
    for page in pages:
        for each in work:
            with tempfile.TemporaryDirectory() as folder:
                each(page.resolve(), Path(folder))


if __name__ == "__main__":
    write([Path(name) for name in sys.argv[1:]] or CONSOLES)
