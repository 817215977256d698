"""What a dump's lines must be: everything else is refused with the number of its line, and nothing stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lineage import LineageGraph
from lineage.demo.loading import load as load_demo
from lineage.stores.copying import SECTIONS
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.judgments import Calibration, JudgeId, Judgment, Passage, Request, Splitting
from lineage_schema.records import Document
from lineage_schema.vocabulary import Verdict
from tests.dump.histories import dumped, loaded

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    folder = tmp_path_factory.mktemp("dump")
    with LineageGraph.open(f"sqlite:///{folder}/a.db", create=True) as graph:
        load_demo(graph)
        return [json.loads(line) for line in dumped(graph, folder / "a.jsonl").splitlines()]


def written(lines: Lines, *, sealed: bool = True) -> bytes:
    """The lines as bytes; ``sealed``: with a last line that fits them."""
    body = "".join(canonical_json(line) + "\n" for line in lines[:-1]).encode()
    last = {**lines[-1]}
    if sealed:
        last["sha256"] = sha256(body).hexdigest()
    return body + canonical_json(last).encode() + b"\n"


def at(lines: Lines, type_: str, field: str | None = None) -> int:
    return next(n for n, line in enumerate(lines) if line["type"] == type_ and (field is None or field in line))


def changed(lines: Lines, number: int, **fields: Any) -> Lines:
    line = {name: value for name, value in {**lines[number], **fields}.items() if value is not None}
    return [*lines[:number], line, *lines[number + 1 :]]


def empty(folder: Path) -> LineageGraph:
    return LineageGraph.open(f"sqlite:///{folder}/b.db", create=True)


WRONG: dict[str, tuple[Callable[[Lines], tuple[Lines, int]], str]] = {
    "another form": (lambda lines: (changed(lines, 0, form=2), 1), "form: expected 1"),
    "other rules": (lambda lines: (changed(lines, 0, rules=["a2", "l1"]), 1), "rules"),
    "an unknown type": (
        lambda lines: (changed(lines, at(lines, "run"), type="runner"), at(lines, "run") + 1),
        "type: expected a section",
    ),
    "an unknown field": (
        lambda lines: (changed(lines, at(lines, "run"), colour="red"), at(lines, "run") + 1),
        "colour: expected a field of 'run'",
    ),
    "a missing field": (
        lambda lines: (changed(lines, at(lines, "run"), producer=None), at(lines, "run") + 1),
        "producer: expected a text, found None",
    ),
    "a field of another type": (
        lambda lines: (changed(lines, at(lines, "edge"), since="1"), at(lines, "edge") + 1),
        "since: expected a whole number, found '1'",
    ),
    "an unknown word": (
        lambda lines: (changed(lines, at(lines, "edge"), role="reads"), at(lines, "edge") + 1),
        "role: expected one of claim, cites",
    ),
    "an id that nothing has": (
        lambda lines: (changed(lines, at(lines, "edge"), dst="l1:" + "0" * 40), at(lines, "edge") + 1),
        "dst: expected a node of an earlier line",
    ),
    "a version that the document does not have": (
        lambda lines: (
            changed(lines, at(lines, "edge", "version"), version=77),
            at(lines, "edge", "version") + 1,
        ),
        "dst, version: expected a span and a version",
    ),
    "a row twice": (
        lambda lines: ([*lines[:2], lines[1], *lines[2:]], 3),
        "uri: expected what comes behind the line before",
    ),
    "sections in another order": (
        lambda lines: ([lines[0], lines[at(lines, "run")], *lines[1:]], 3),
        "type: expected a section behind",
    ),
    "a line that is missing": (lambda lines: ([*lines[:-3], *lines[-2:]], len(lines) - 1), "counts: expected"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_line_is_named_and_nothing_stays(lines: Lines, tmp_path: Path, wrong: str) -> None:
    make, says = WRONG[wrong]
    given, number = make(lines)
    with empty(tmp_path) as graph:
        with pytest.raises(BadInput) as raised:
            loaded(graph, written(given))
        assert raised.value.item == f"line {number}"
        assert says in str(raised.value)
        # The store is as it was: it takes the whole dump.
        loaded(graph, written(lines))
        assert graph.verify().faults == []


@pytest.mark.parametrize(
    ("spoil", "number", "says"),
    [
        (lambda said: said[:-1], -1, "the end of the file"),
        (lambda said: [*said, said[-1]], 1, "nothing behind 'end'"),
        (lambda said: [said[0], said[1].replace(b'":', b'": ', 1), *said[2:]], 2, "canonical JSON"),
        (lambda said: [said[0], b"\xff\n", *said[1:]], 2, "JSON in UTF-8"),
        (lambda said: [said[0], b"[]\n", *said[1:]], 2, "a JSON object"),
        (lambda said: [], 1, "type: expected 'lineage-dump'"),
    ],
)
def test_a_file_that_is_no_dump(
    lines: Lines, tmp_path: Path, spoil: Callable[[list[bytes]], list[bytes]], number: int, says: str
) -> None:
    said = written(lines).splitlines(keepends=True)
    with empty(tmp_path) as graph, pytest.raises(BadInput, match=says):
        loaded(graph, b"".join(spoil(said)))


def test_a_word_changed_on_the_way_is_found_by_the_checksum(lines: Lines, tmp_path: Path) -> None:
    number = at(lines, "document", "title")
    with empty(tmp_path) as graph, pytest.raises(BadInput, match="sha256"):
        loaded(graph, written(changed(lines, number, title="Another"), sealed=False))


def test_a_store_that_holds_anything_is_not_filled(lines: Lines, tmp_path: Path) -> None:
    with empty(tmp_path) as graph:
        graph.register([Document(uri="x.md", text="One.", namespace="n")])
        before = dumped(graph, tmp_path / "before")
        with pytest.raises(Conflict, match="holds something"):
            loaded(graph, written(lines))
        assert dumped(graph, tmp_path / "after") == before


def test_verdicts_and_purged_texts_come_through(opening: Callable[[], LineageGraph], tmp_path: Path) -> None:
    with LineageGraph.open(f"sqlite:///{tmp_path}/a.db", create=True) as graph:
        load_demo(graph)
        judge = JudgeId("lexical", "1")
        asked = Request("It is so.", (Passage('He said; "so".\n', "outside"), Passage("Twice.", "l1:" + "0" * 40)))
        graph.judgments.keep([Judgment.of(asked, judge, Verdict.SUPPORTED, score=0.1, latency=12)])
        graph.judgments.keep([Judgment.of(asked, judge, Verdict.CONTRADICTED, reason="no", by="ann", cut=True)])
        graph.judgments.resolve(judge.key(asked), Verdict.CONTRADICTED, reason="read it", by="ann")
        graph.judgments.keep_calibration(Calibration(judge, "0" * 64, 7, None, "{}"))
        answer = graph.resolve("answer:demo/returns")
        graph.judgments.keep_scores([(answer, json.dumps({"id": answer}))])
        claims = [claim.id for answer in graph.cited(graph.answers()) for claim in answer.claims]
        graph.judgments.keep_splittings([Splitting(id_, ("b; ä", "a"), judge, "ann") for id_ in claims])
        graph.judgments.keep_splittings([Splitting(id_, ("a",), JudgeId("rule", "1")) for id_ in claims])
        graph.withdraw(["shipping.md"], reason="gone", purge=True)
        first = dumped(graph, tmp_path / "a.jsonl")
        assert b"Standard delivery takes" not in first
        with opening() as copy:
            loaded(copy, first)
            assert dumped(copy, tmp_path / "b.jsonl") == first
            assert copy.verify().faults == graph.verify().faults == []
            split = copy.judgments.splittings(claims)
            assert split == graph.judgments.splittings(claims)
            assert {row.parts for rows in split.values() for row in rows} == {("b; ä", "a"), ("a",), None}
            assert copy.judgments.find([judge.key(asked)]) == graph.judgments.find([judge.key(asked)])


def test_names_of_fields_leave_room_for_the_type() -> None:
    assert all("type" not in section.fields and set(section.key) <= set(section.fields) for section in SECTIONS)


def test_the_page_names_every_section_and_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "dumps.md").read_text(encoding="utf-8")
    for section in SECTIONS:
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{section.name}` |")]
        fields = ", ".join(f"`{name}`" + "?" * kind.optional for name, kind in section.fields.items())
        assert line.endswith(f"| {fields} |")
