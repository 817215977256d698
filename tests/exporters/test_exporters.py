"""Traces as text and pictures: every label escaped so that it reads back, nothing told twice, nothing silent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage import Answer, Citation, Claim, Document, Input, LineageGraph, Node, NodeRef, SpanRef
from lineage.exporters import dot, html, mermaid, tree
from lineage.exporters.plain import fold, line, short, visible
from lineage.passages import Fate, Passage
from lineage.stores.base import EdgeView, NodeView
from lineage.trace import Trace, TraceNode
from lineage_schema.vocabulary import Completeness, Role

EXPORTERS = [tree, mermaid, dot, html]
NASTY = 'a "b" [c] <d> (e) {f} #1; \\N & &lt; `g` |h| %%{i}%% 日本 🧾\nend\r\x1b[31m \u202ereversed\x00'
TEXTS = st.one_of(st.text(min_size=1, max_size=60), st.sampled_from([NASTY, "]", '"', "end", "--> x", "\\", "&quot;"]))


def node(
    name: str, label: str, kind: str = "note", *, status: str = "fresh", level: int = 0, place: Passage | None = None
) -> TraceNode:
    view = NodeView(
        id=name, kind=kind, namespace="n", key=name, text=label, sha256="", attributes={}, title=label, reason=None,
        details={}, lineage="complete", current=True, begin=1, run=None, producer=None, cache_key=None, question=None,
        at=None, searched=(), label=None, needs_evidence=None, made=1, marks=(), aliases=(),
    )  # fmt: skip
    return TraceNode(view, f"{kind}:n/{name}", label, level, status, place, ())


def arrow(src: str, dst: str, role: Role = Role.EVIDENCE) -> EdgeView:
    return EdgeView(src, role.value, dst, ("declared",), None, 1, None)


def passage(uri: str = "a.md", quote: str | None = "quoted", before: str = "", after: str = "") -> Passage:
    return Passage(uri, 1, 1, 0, 6, None, None, quote, before, after, (1, 0, 6), None)


def pair(label: str, status: str = "fresh") -> Trace:
    """A claim that stands on a span, both called by ``label``."""
    nodes = {
        "l1:a": node("l1:a", label, "claim", status=status),
        "l1:b": node("l1:b", label, "span", level=1, place=passage(label, label, label, label)),
    }
    return Trace(("l1:a",), False, nodes, (arrow("l1:a", "l1:b"),), 0)


# escaping

MERMAID = {
    "head": r"flowchart LR",
    "node": r'  n\d+(?:\["([^"]*)"\]|\(\["([^"]*)"\]\)):::(?:fresh|review|invalid)',
    "edge": r'  n\d+ -->\|"([^"]*)"\| n\d+',
    "note": r'  note\d+\["([^"]*)"\]',
    "class": r"  classDef \w+ [\w:#,\- ]+",
}


@given(TEXTS)
def test_mermaid_labels_read_back(label: str) -> None:
    trace = pair(label)
    found = []
    for row in mermaid.render(trace).split("\n"):
        kinds = [(kind, match) for kind, rule in MERMAID.items() if (match := re.fullmatch(rule, row))]
        assert len(kinds) == 1, row
        if kinds[0][0] == "node":
            written = "".join(kinds[0][1].groups(""))
            # All that means something inside a label is written as an entity.
            assert not set(re.sub(r"#\d+;", "", written)) & set('"#&<>[](){}|;`\\%')
            found.append(re.sub(r"#(\d+);", lambda entity: chr(int(entity[1])), written))
    assert found == [" ".join(short(each).split()) for each in trace.nodes.values()]


DOT = re.compile(r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<word>[\w.]+)|(?P<mark>->|[\[\]{}=,;]))')


def tokens(text: str) -> list[str]:
    """Graphviz's tokens; a quoted string with its quotes."""
    found, at = [], 0
    while text[at:].strip():
        match = DOT.match(text, at)
        assert match, text[at : at + 40]
        found.append(match.group().strip())
        at = match.end()
    return found


@given(TEXTS)
def test_dot_labels_read_back(label: str) -> None:
    trace = pair(label)
    found = tokens(dot.render(trace))
    labels = [found[at + 2] for at, token in enumerate(found) if token == "label"]
    # Graphviz takes the quotes off, doubled backslashes and then HTML's entities for what they stand for.
    plain = [unescape(each[1:-1].replace('\\"', '"').replace("\\\\", "\\")) for each in labels]
    assert plain[:2] == [" ".join(short(each).split()) for each in trace.nodes.values()]
    assert plain[2:] == ["evidence"]
    assert found[-1] == "}"
    assert found.count("{") == found.count("}") == 1


class Page(HTMLParser):
    """What a browser would see: tags in order, and the text inside each kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts[tag][-1] += data


ALLOWED = set(
    "html head meta title style body h1 h2 p ul li a code article span blockquote mark del ins br strong".split()
)


@given(TEXTS)
def test_html_reads_back_and_asks_for_nothing(label: str) -> None:
    whole = html.render(pair(label, "invalid"))
    page = Page(whole)
    assert {tag for tag, _ in page.tags} <= ALLOWED
    for tag, attributes in page.tags:
        assert set(attributes) <= {"lang", "charset", "name", "content", "http-equiv", "id", "class", "href"}
        if tag == "a":
            assert (attributes["href"] or "").startswith("#")
    assert "url(" not in page.texts["style"][0]
    assert "@import" not in page.texts["style"][0]
    shown = visible(label)
    assert page.texts["mark"] == [shown]
    # White space at a text's ends is the text's own.
    assert page.texts["blockquote"] == [shown, f"{shown}{shown}{shown}"]
    assert page.texts["title"][0] == f"Trace: {shown}"
    assert [text.startswith(f"{kind}: {shown}") for kind, text in zip(("claim", "span"), page.texts["h2"], strict=True)]


@given(TEXTS)
def test_a_tree_has_one_line_a_thing(label: str) -> None:
    lines = tree.render(pair(label)).split("\n")
    assert len(lines) == 4
    assert lines[0] == f'claim:n/l1:a "{fold(label)}"  [fresh]'
    assert lines[1].startswith("└─ evidence span ")
    assert fold(label) in lines[2]


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda module: module.__name__)
def test_no_source_writes_control_characters(exporter: ModuleType) -> None:
    nasty = pair(NASTY)
    roots = replace(nasty, up=True, document=NASTY, roots=("l1:b",), edges=(arrow("l1:a", "l1:b"),))
    for trace in (nasty, roots, Trace((), True, {}, (), 0, document=NASTY)):
        text = exporter.render(trace)
        assert not [character for character in text if not character.isprintable() and character not in "\n\r"]


def test_what_is_not_printable_is_written_out() -> None:
    assert line("a\nb\u2028\u00a0") == "a\\x0ab\\u2028\u00a0"
    assert visible("a\x1b[0m\u202e\U000e0041\n日本🧾\u200d") == "a\\x1b[0m\\u202e\\U000e0041\n日本🧾\u200d"
    assert fold("a \n b\x85c") == "a b c"
    assert fold("x" * 200, 10) == "xxxxx…(190 more)…xxxxx"


# what is told


@pytest.fixture
def graph(opening: Callable[[], LineageGraph]) -> Iterator[LineageGraph]:
    with opening() as opened:
        yield opened


TEXT = "# Returns\n\nStandard items may be returned within 30 days. Ask the desk.\n\nShipping is free.\n"
RULE = "Standard items may be returned within 30 days."


def read(words: str) -> Input:
    start = TEXT.index(words)
    return Input(ref=SpanRef(uri="returns.md", start=start, end=start + len(words), quote=words))


def made(kind: str, key: str, *below: tuple[str, str], role: Role = Role.EVIDENCE, words: str = "") -> Node:
    inputs = tuple(Input(ref=NodeRef(kind=kind_, namespace="n", key=key_), role=role) for kind_, key_ in below)
    spans = (read(words),) if words else ()
    return Node(kind=kind, namespace="n", key=key, text=words or f"{kind} {key}", title=key, inputs=(*inputs, *spans))


def build(graph: LineageGraph) -> None:
    answer = {"namespace": "n", "key": "q"}
    claim = {"answer": answer, "ordinal": 1}
    graph.register([Document(uri="returns.md", text=TEXT, namespace="n")])
    graph.register(
        [
            made("chunk", "window", words=RULE),
            made("chunk", "desk", words="Ask the desk."),
            made("chunk", "shipping", words="Shipping is free."),
            made("entity", "E", ("chunk", "window"), ("chunk", "desk"), ("chunk", "shipping")),
            made("report", "R", ("entity", "E"), ("chunk", "window"), ("chunk", "desk"), ("chunk", "shipping")),
            Answer(namespace="n", key="q", question="?", text="30 days."),
            Claim(answer=answer, ordinal=1, label="C1", text="30 days."),
            Citation(claim=claim, order=1, marker="[2]", target=NodeRef(kind="report", namespace="n", key="R")),
            Citation(claim=claim, order=2, marker="[9]"),
        ]
    )


def test_the_tree_of_a_corrected_claim(graph: LineageGraph) -> None:
    build(graph)
    done = graph.correct({"returns.md": TEXT.replace("30", "14")}, reason="policy", by="maya")
    lines = tree.render(graph.trace("claim:n/q/C1")).split("\n")
    start = TEXT.index(RULE)
    assert lines[:9] == [
        'claim:n/q/C1 "30 days."  [invalid]',
        "│  cites [9]: it points to nothing",
        '└─ cites [2] report "R"  [invalid]',
        "   ├─ evidence: 3 chunks (1 invalid, 1 review)",
        '   │  ├─ chunk "desk"  [review]',
        f"   │  │  └─ evidence span returns.md v1 [{start + 47}, {start + 60})  [stands, text beside it changed]",
        '   │  │        "…Ask the desk.…"',
        f"   │  │        v2 [{start + 47}, {start + 60}) now",
        f'   │  │        beside it: "{RULE}"',
    ]
    changed = next(number for number, line in enumerate(lines) if "[CHANGED]" in line)
    assert lines[changed + 1].strip("│ ") == f'"…{RULE}…"'
    assert lines[changed + 2].strip("│ ") == f'v2 now: "{RULE.replace("30", "14")}"'
    assert [line.strip("│ ") for line in lines if "above" in line] == [
        '└─ evidence: 3 chunks above (1 invalid, 1 review): "desk", "shipping", "window"'
    ]
    assert lines[-2].startswith(f'correction {done.id} "policy" by maya ')
    assert lines[-1] == '9 nodes, 1 document, 1 bottleneck (report "R"). ' + tree.CAVEAT


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda module: module.__name__)
def test_each_node_is_written_out_once(graph: LineageGraph, exporter: ModuleType) -> None:
    build(graph)
    trace = graph.trace("answer:n/q")
    text = exporter.render(trace)
    if exporter is tree:
        assert len(re.findall(r"\[(?:fresh|stands)\]$", text, re.M)) == len(trace.nodes)
    elif exporter is mermaid:
        assert len(re.findall(r"^  n\d+[\[(]", text, re.M)) == len(trace.nodes)
        assert text.count("-->") == len(trace.edges)
    elif exporter is dot:
        assert len(re.findall(r'^  "l1:\w+" \[', text, re.M)) == len(trace.nodes)
        assert text.count("->") == len(trace.edges)
    else:
        assert sorted(re.findall(r'<article id="([^"]+)"', text)) == sorted(trace.nodes)
        assert text.count("<li>evidence") + text.count("<li>c") >= len(trace.edges)


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda module: module.__name__)
def test_what_was_left_out_or_is_not_final_is_told(graph: LineageGraph, exporter: ModuleType) -> None:
    build(graph)
    graph.correct({"returns.md": TEXT.replace("30", "14")}, reason="policy", propagate=False)
    cut = exporter.render(graph.trace("claim:n/q/C1", limit=2))
    assert "4 more nodes met and left out" in cut
    assert "bottleneck" not in cut
    assert "propagating: " in cut
    run = graph.run("n", producer="slow", key="r")
    later = exporter.render(graph.trace("claim:n/q/C1", as_of=run.state.begin))
    assert f"as of sequence number {run.state.begin}, not final" in later
    assert "left out" not in later
    before = exporter.render(graph.trace("claim:n/q/C1", as_of=run.state.begin - 1))
    assert "not final" not in before


@pytest.mark.parametrize("exporter", [mermaid, dot, html], ids=lambda module: module.__name__)
def test_severity_is_told_in_words(exporter: ModuleType) -> None:
    # Style sheets and class lists name all severities: only what is said of the nodes counts.
    def said(status: str) -> int:
        text = exporter.render(pair("label", status))
        return len(re.findall(rf'(?:\(|#40;|badge">){status}', text))

    assert said("invalid") >= 1
    assert said("review") >= 1
    assert not re.search(r"(?:\(|#40;)(?:invalid|review)", exporter.render(pair("label")))


# microsoft/graphrag #1850, #1988: a report from sub-reports had no trace, or a long list of units
def test_a_report_of_reports_is_grouped_nearest_first_with_counts(graph: LineageGraph) -> None:
    graph.register([Document(uri="returns.md", text=TEXT, namespace="n")])
    graph.register(
        [
            made("chunk", "window", words=RULE),
            made("chunk", "shipping", words="Shipping is free."),
            made("report", "low-1", ("chunk", "window"), ("chunk", "shipping")),
            made("report", "low-2", ("chunk", "window")),
            made("report", "low-3", ("chunk", "shipping")),
            made("report", "top", ("report", "low-1"), ("report", "low-2"), ("report", "low-3"), role=Role.CHILD),
        ]
    )
    lines = tree.render(graph.trace("report:n/top")).split("\n")
    assert lines[0] == 'report "top"  [fresh]'
    assert lines[1] == "└─ child: 3 reports (2 spans under them)"
    assert [line.strip("│├└─ ") for line in lines if 'report "low' in line] == [
        'report "low-1"  [fresh]',
        'report "low-2"  [fresh]',
        'report "low-3"  [fresh]',
    ]


def test_what_carries_evidence_is_written_out_first(graph: LineageGraph) -> None:
    graph.register([Document(uri="returns.md", text=TEXT, namespace="n")])
    about = Input(ref=NodeRef(kind="community", namespace="n", key="A"), role=Role.ABOUT)
    report = made("report", "R", ("note", "N"))
    graph.register(
        [
            made("chunk", "window", words=RULE),
            made("entity", "E", ("chunk", "window")),
            made("community", "A", ("entity", "E"), role=Role.MEMBER),
            made("note", "N", ("entity", "E")),
            report.model_copy(update={"inputs": (about, *report.inputs)}),
        ]
    )
    lines = [row.strip("│├└─ ") for row in tree.render(graph.trace("community:n/A")).split("\n")]
    assert lines[1] == 'member entity "E"  [fresh]'
    lines = [row.strip("│├└─ ") for row in tree.render(graph.trace("report:n/R")).split("\n")]
    assert [row for row in lines[:-1] if '"E"' in row] == ['evidence entity "E"  [fresh]', 'member entity "E" (above)']


def test_several_causes_are_numbered(graph: LineageGraph) -> None:
    build(graph)
    graph.correct({"returns.md": TEXT.replace("30", "14")}, reason="first")
    graph.correct({"returns.md": TEXT.replace("30", "14").replace("free", "cheap")}, reason="second")
    lines = tree.render(graph.trace("entity:n/E")).split("\n")
    assert lines[0] == 'entity "E"  [invalid by 1, 2]'
    assert any('chunk "shipping"  [invalid by 2]' in line for line in lines)
    assert [line.split()[0] for line in lines if line.startswith(("1: ", "2: "))] == ["1:", "2:"]


def test_incomplete_replaced_and_removed_are_told(graph: LineageGraph) -> None:
    graph.register([Document(uri="returns.md", text=TEXT, namespace="n")])
    partial = {"lineage": Completeness.PARTIAL, "lineage_reason": "list cut at 2"}
    window = made("chunk", "window", words=RULE).model_copy(update=partial)
    graph.register([window, made("chunk", "desk", words="Ask the desk.")])
    first = graph.resolve("chunk:n/desk")
    graph.register([made("chunk", "desk", words="Ask the desk").model_copy(update={"title": "other"})])
    assert "[fresh; lineage partial: list cut at 2]" in tree.render(graph.trace("chunk:n/window"))
    assert "[review; replaced]" in tree.render(graph.trace(first))
    graph.withdraw(["returns.md"], reason="gone", purge=True)
    for exporter in EXPORTERS:
        text = exporter.render(graph.trace("chunk:n/window"))
        assert RULE not in text
        assert "WITHDRAWN" in text
    assert tree.render(graph.trace("chunk:n/window")).count("(the text was removed)") == 2


def test_an_impact_of_nothing_says_so(graph: LineageGraph) -> None:
    graph.register([Document(uri="returns.md", text=TEXT, namespace="n")])
    lines = tree.render(graph.impact("returns.md")).split("\n")
    assert lines == ["returns.md: no span of it is registered, nothing rests on it", "0 nodes, 0 documents."]


def test_a_long_chain_is_no_matter_of_recursion() -> None:
    names = [f"l1:{number:04}" for number in range(1500)]
    nodes = {name: node(name, name, level=level) for level, name in enumerate(names)}
    edges = tuple(arrow(src, dst) for src, dst in pairwise(names))
    trace = Trace((names[0],), False, nodes, edges, 0)
    for exporter in EXPORTERS:
        assert names[-1] in exporter.render(trace)


def test_what_became_of_a_span() -> None:
    place = passage()
    fates = {
        "changed": (Fate("changed", "c1:a", 1, 2, 0, 3, "old.", "new."), ['was:    "old."', 'v2 now: "new."']),
        "deleted": (Fate("deleted", "c1:a", 1, 2, None, None, "old.", None), ["v2: deleted"]),
        "withdrawn": (Fate("withdrawn", "c1:a", 1, 2, None, None, "old.", None), ["v2: withdrawn"]),
        "edition": (Fate("edition", "c1:a", 2, 1, 4, 9, None, None), ["edition 2 v1 [4, 9)"]),
        "context": (
            Fate("context", "c1:a", 1, 2, 4, 9, "a.", None),
            ["v2 [4, 9) now", 'beside it: "a."', "now:       (nothing)"],
        ),
    }
    for name, (fate, wanted) in fates.items():
        now = (2, 4, 9) if name == "context" else None
        here = node("l1:a", "a.md", "span", place=replace(place, fate=fate, now=now), status="invalid")
        lines = tree.render(Trace(("l1:a",), False, {"l1:a": here}, (), 0)).split("\n")
        assert [line.strip() for line in lines[2:-1]] == wanted
