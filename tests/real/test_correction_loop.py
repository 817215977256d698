"""The whole loop on real indexes: import, record an answer, correct one sentence, read what it affected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lineage import Answer, Citation, Claim, LineageGraph, NodeRef
from lineage.importers.graphrag.importer import import_graphrag
from lineage_cli.main import call
from lineage_schema.identity import parse_key
from tests.neo4j_server.fixtures import without_nodes
from tests.neo4j_server.server import Server

pytestmark = pytest.mark.real

OLD = "The thrumming of monitors cast a stark contrast"


def answer(graph: LineageGraph, namespace: str, key: str, target: NodeRef) -> None:
    ref = {"namespace": namespace, "key": key}
    graph.register(
        [
            Answer(
                namespace=namespace, key=key, question=f"What of {key}?", text="It says so.", cache_key=f"cache-{key}"
            ),
            Claim(answer=ref, ordinal=1, label="C1", text="It says so."),
            Citation(claim={"answer": ref, "ordinal": 1}, order=1, marker="[1]", target=target),
        ]
    )


def ref(node: Any) -> NodeRef:
    return NodeRef(kind=node.kind, namespace=node.namespace, key=parse_key(node.key))


def under(graph: LineageGraph, id_: str) -> set[str]:
    return set(graph.store.read(lambda tx: tx.reading.reach([id_], up=False)))


def text_of(graph: LineageGraph, uri: str) -> str:
    def work(tx: Any) -> str:
        latest = tx.sources.documents([uri])[uri].latest
        version = tx.sources.versions([(uri, latest.edition)])[uri, latest.edition][latest.current - 1]
        return str(tx.sources.texts([version.sha256])[version.sha256])

    return graph.store.read(work)


def path_kinds(body: dict[str, Any]) -> list[str]:
    return [step["kind"] for step in body["answers"][0]["claims"][0]["path"]]


def dulce(graph: LineageGraph, sample_data: Path) -> str:
    """Imports the index, records an answer that rests on its first sentence and one that does not, and corrects it.

    Returns the correction's id.
    """
    import_graphrag(graph, sample_data / "graphrag/dulce/v3.1.2", namespace="dulce")
    chunks = sorted(graph.find("", kind="chunk"), key=lambda node: str(node.text))
    first = next(node for node in chunks if str(node.text).startswith("# Operation: Dulce"))
    last = next(node for node in chunks if first.id != node.id and not overlaps(graph, first.id, node.id))
    reports = [node for node in graph.find("", kind="report") if first.id in under(graph, node.id)]
    assert reports
    answer(graph, "dulce", "touched", ref(reports[0]))
    answer(graph, "dulce", "untouched", ref(last))
    text = text_of(graph, "dulce/dulce.txt")
    new = text.replace(OLD, "The silence of monitors cast a stark contrast", 1)
    return str(graph.correct({"dulce/dulce.txt": new}, reason="t").id)


def test_dulce_one_sentence(graph: LineageGraph, sample_data: Path) -> None:
    body = graph.affected(dulce(graph, sample_data)).to_json()
    assert [each["key"] for each in body["answers"]] == ["touched"]
    assert body["answers"][0]["severity"] == "invalid"
    kinds = path_kinds(body)
    assert kinds[0] == "report"
    assert kinds[-2:] == ["chunk", "span"]
    assert [each["key"] for each in body["spared"]] == ["untouched"]
    assert "stands" in body["spared"][0]["because"]
    assert graph.check("touched").status == "stale"
    assert graph.check("untouched").status == "fresh"
    assert len(body["changes"]) == 1
    assert body["changes"][0]["old"].startswith(OLD)


@pytest.mark.neo4j
def test_a_server_s_report_is_the_same(
    neo4j_server: Server,
    sample_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed = []
    for url in (f"sqlite:///{tmp_path}/lineage.db", without_nodes(neo4j_server, monkeypatch)):
        with LineageGraph.open(url, create=True, clock=lambda: 1_700_000_000_000_000) as graph:
            dulce(graph, sample_data)
        capsys.readouterr()
        assert call(["affected", "last", "--json", "--store", url]) == 0
        printed.append(capsys.readouterr().out)
    assert '"key": "touched"' in printed[0]
    assert printed[1] == printed[0]


def overlaps(graph: LineageGraph, one: str, other: str) -> bool:
    """Whether the spans of two chunks share characters or touch."""

    def places(id_: str) -> list[tuple[int, int]]:
        rows = graph.store.read(lambda tx: tx.sources.spans(tx.reading.reach([id_], up=False)))
        return [(row.start, row.end) for row in rows.values()]

    return any(a - 300 < d and c < b + 300 for a, b in places(one) for c, d in places(other))


def test_synthetic_update_the_edited_rent(graph: LineageGraph, sample_data: Path) -> None:
    """microsoft/graphrag #1613, #1972: the update ignored an edited and a deleted input."""
    base = sample_data / "graphrag/synthetic_update_3.3.0"
    import_graphrag(graph, base / "output_v0", namespace="harbor")
    lease = (base / "input_v1/lease.txt").read_bytes().decode()
    rent = next(
        node for node in graph.find("monthly rent is 1200", kind="chunk") if str(node.text).startswith("Northwind")
    )
    reports = [node for node in graph.find("", kind="report") if rent.id in under(graph, node.id)]
    port = next(node for node in graph.find("right of way", kind="chunk"))
    answer(graph, "harbor", "rent", ref(reports[0]))
    answer(graph, "harbor", "yard", ref(port))
    done = graph.correct({"harbor/lease.txt": lease}, reason="new rent")
    body = graph.affected(str(done.id)).to_json()
    assert [each["key"] for each in body["answers"]] == ["rent"]
    assert path_kinds(body)[0] == "report"
    assert path_kinds(body)[-2:] == ["chunk", "span"]
    assert graph.check("yard").status == "fresh"

    # Nobody regenerated a report because its file was read again: importing the update closes no mark.
    before = body["counts"]
    import_graphrag(graph, base / "output_v1", namespace="harbor")
    graph.propagate()
    assert graph.check("rent").status == "stale"
    after = graph.affected(str(done.id)).to_json()["counts"]
    assert after["answers"] == before["answers"]
