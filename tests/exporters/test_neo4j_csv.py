"""Files for Neo4j's import tool: what they say, and that the real tool and a real server take them."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage import LineageGraph
from lineage.demo.loading import corrected_text
from lineage.demo.loading import load as load_demo
from lineage.dump import dump
from lineage.exporters.neo4j_csv import Written
from lineage.testing.observe import observe
from lineage.urls import migrate_store
from lineage_schema.errors import BadInput, SchemaMismatch
from lineage_schema.judgments import JudgeId, Judgment, Passage, Request, Splitting
from lineage_schema.records import Document, Input, Node, SpanRef
from lineage_schema.vocabulary import Verdict

ODD = 'Line one\r\nline "two"; a,b \\ \\" é 😀 \u2028\n\ttab  .'
FIELD = re.compile(r"(?:(?P<name>\w+)(?::(?P<type>(?:string|long|boolean|double|byte)(?:\[\])?))?)?"
                   r"(?::(?P<id>ID|START_ID|END_ID)\((?P<space>\w+)\))?")  # fmt: skip


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[LineageGraph]:
    """The demo, with odd texts, a correction half spread, and a verdict."""
    with LineageGraph.open(f"sqlite:///{tmp_path}/a.db", create=True) as graph:
        load_demo(graph)
        graph.register([Document(uri='odd "1", 2.md', text=ODD, title="")])
        span = SpanRef(uri='odd "1", 2.md', start=0, end=len(ODD), quote=ODD)
        graph.register(
            [
                Node(
                    kind="chunk",
                    namespace="n",
                    key="odd",
                    text=ODD,
                    inputs=(Input(ref=span),),
                    title='"',
                    aliases=('"',),
                )
            ]
        )
        judge = JudgeId("lexical", "1")
        asked = Request(ODD, (Passage(ODD, "outside"), Passage(ODD, "too")))
        graph.judgments.keep([Judgment.of(asked, judge, Verdict.SUPPORTED, score=0.1)])
        claim = graph.cited(graph.answers())[0].claims[0].id
        graph.judgments.keep_splittings([Splitting(claim, (ODD, "too"), judge)])
        uri, text, reason = corrected_text()
        graph.correct({uri: text}, reason=reason)
        graph.correct({uri: text + "\nAs of March.\n"}, reason="again", propagate=False)
        graph.propagate(steps=1, batch=3)
        yield graph


def test_the_files_are_what_the_tool_reads(graph: LineageGraph, tmp_path: Path) -> None:
    folder = tmp_path / "import"
    written = graph.export_neo4j_csv(folder)
    headers = sorted(folder.glob("*-header.csv"))
    ids: dict[str, set[str]] = {}
    ends: list[tuple[str, set[str]]] = []
    rows = 0
    for header in headers:
        (columns,) = csv.reader([header.read_text(encoding="utf-8").strip()])
        fields = [FIELD.fullmatch(column) for column in columns]
        assert all(fields), columns
        data = folder / header.name.replace("-header", "")
        with data.open(encoding="utf-8", newline="") as file:
            listed = list(csv.reader(file, strict=True))
        rows += len(listed)
        assert {len(row) for row in listed} == {len(columns)}
        for at, field in enumerate(fields):
            assert field is not None
            values = {row[at] for row in listed}
            if field["id"] == "ID":
                assert len(values) == len(listed)
                assert not values & ids.setdefault(field["space"], set())
                ids[field["space"]] |= values
            elif field["id"]:
                ends.append((field["space"], values))
            elif field["type"] == "long":
                assert all(re.fullmatch(r"-?\d+|", value) for value in values)
            elif field["type"] == "boolean":
                assert values <= {"true", "false", ""}
    assert ends
    assert all(values <= ids[space] for space, values in ends)
    assert rows == sum(written.nodes.values()) + sum(written.relationships.values())
    counts = graph.doctor().counts
    nodes = sum(n for labels, n in written.nodes.items() if labels.startswith("LineageNode:"))
    assert nodes == sum(counts["nodes"].values())
    assert written.relationships["MARKS"] == counts["store"]["mark"]
    said = (folder / "README.txt").read_text(encoding="utf-8")
    assert said.count("-header.csv,") == len(headers)


def test_a_folder_that_holds_something_is_left_alone(graph: LineageGraph, tmp_path: Path) -> None:
    folder = tmp_path / "import"
    folder.mkdir()
    (folder / "mine").write_text("x")
    with pytest.raises(BadInput, match="something in it"):
        graph.export_neo4j_csv(folder)
    assert [each.name for each in folder.iterdir()] == ["mine"]


@pytest.mark.neo4j
def test_the_real_tool_and_a_real_server_take_them(
    graph: LineageGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.neo4j_server.java_server import JavaServer
    from tests.neo4j_server.tools import Missing
    from tests.neo4j_server.versions import asked, exact

    folder = tmp_path / "import"
    written = graph.export_neo4j_csv(folder)
    dump(graph.store, tmp_path / "first")
    try:
        server = JavaServer(exact(asked(os.environ)), imports=folder)
    except Missing as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))
    try:
        assert f"{sum(written.nodes.values())} nodes" in server.imported
        assert f"{sum(written.relationships.values())} relationships" in server.imported
        monkeypatch.setenv("LINEAGE_NEO4J_USER", server.user)
        monkeypatch.setenv("LINEAGE_NEO4J_PASSWORD", server.password)
        url = f"{server.uri}/neo4j"
        with pytest.raises(SchemaMismatch, match="import tool"):
            LineageGraph.open(url)
        migrate_store(url, lambda: 0)
        with LineageGraph.open(url) as imported:
            dump(imported.store, tmp_path / "second")
            assert (tmp_path / "second").read_bytes() == (tmp_path / "first").read_bytes()
            assert imported.verify().faults == []
            for each in (imported, graph):
                each.propagate()
            assert observe(imported) == observe(graph)
            assert imported.affected().to_json() == graph.affected().to_json()
            # From this store, too: the same files.
            assert imported.export_neo4j_csv(tmp_path / "again") == graph.export_neo4j_csv(tmp_path / "here")
            for file in (tmp_path / "here").iterdir():
                assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
    finally:
        server.stop()


def test_what_was_written_is_told(graph: LineageGraph, tmp_path: Path) -> None:
    written = graph.export_neo4j_csv(tmp_path / "import")
    assert json.loads(json.dumps(written.to_json())) == written.to_json()
    assert isinstance(written, Written)
