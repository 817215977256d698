"""The definition of what corrections affect, computed by brute force from the list of events.

It is the judge of the tests, so it shares nothing with what it judges: no store, no marks, no
propagation, no cache. It knows the rules of text and identity, and the stored alignments; the rest
it works out again, slowly, each time it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lineage.align import Alignment
from lineage_schema.identity import span_id
from lineage_schema.text import TextIndex, edge_word, neighbours_changed

INCOMPLETE = "incomplete"
PASS = {
    "claim": {1: 1, 2: 2},
    "cites": {1: 1, 2: 2},
    "evidence": {1: 1, 2: 2},
    "child": {1: 1, 2: 2},
    "qualifier": {1: 1, 2: 2},
    "retrieved": {1: 1, 2: 1},
}
Place = tuple[int, int, int]
Edges = dict[tuple[str, str], int | None]
"""(role, input id) → version read (spans only)"""


@dataclass(slots=True)
class Version:
    """A version as it was stored. ``text`` None: a withdrawal. ``alignment`` is from ``base``."""

    text: str | None
    base: int | None
    alignment: Alignment | None


@dataclass(slots=True)
class Run:
    """A run. ``derived``: it made its nodes, or imports a rebuild."""

    id: str
    begin: int
    derived: bool


@dataclass(slots=True)
class Registration:
    """A run's word on what a node was made from. ``extends``: inputs laid over what is there."""

    node: str
    run: Run
    edges: Edges
    lineage: int = 0
    extends: bool = False


@dataclass(slots=True)
class Change:
    """One document of a correction."""

    uri: str
    edition: int
    kind: str
    source: int
    target: int
    target_edition: int


@dataclass(slots=True)
class Correction:
    """A correction, with what is stated of an edition's old and new text."""

    id: str
    changes: list[Change]
    old: dict[str, Any] = field(default_factory=dict)
    new: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Decision:
    """A decision as it was recorded. ``made`` is the derivation that it was about."""

    cause: str
    node: str
    made: int
    severity: int
    inputs: frozenset[str]


@dataclass(slots=True)
class Span:
    """A span by its first place."""

    uri: str
    edition: int
    first: Place


class Oracle:
    """Events go in, in any order that is consistent; the marks that must be open come out."""

    def __init__(self) -> None:
        self.editions: dict[tuple[str, int], list[Version]] = {}
        self.spans: dict[str, Span] = {}
        self.kinds: dict[str, str] = {}
        self.scopes: dict[str, dict[str, str]] = {}
        self.names: dict[tuple[str, str, str], dict[str, set[int]]] = {}
        self.runs: dict[int, Run] = {}
        self.registrations: list[Registration] = []
        self.retirements: list[tuple[tuple[str, str, str], Run]] = []
        self.sweeps: list[tuple[str, str, Run]] = []
        self.corrections: list[Correction] = []
        self.decisions: list[Decision] = []
        self.made: dict[str, int] = {}

    # section 4: standing

    def maps(self, key: tuple[str, int], number: int, start: int, end: int, *, back: bool) -> tuple[int, int] | None:
        """A range carried between a version and its base, if it is one contiguous equal range with its edges kept."""
        version = self.editions[key][number - 1]
        if version.base is None or version.alignment is None or version.text is None:
            return None
        base = self.editions[key][version.base - 1].text
        if base is None:
            return None
        pairs = {}
        for a, b, length in version.alignment.blocks:
            for offset in range(length):
                if back:
                    pairs[b + offset] = a + offset
                else:
                    pairs[a + offset] = b + offset
        image = [pairs.get(at) for at in range(start, end)]
        if image[0] is None or image != list(range(image[0], image[0] + end - start)):
            return None
        here, there = (version.text, base) if back else (base, version.text)
        found = image[0], image[0] + end - start
        if edge_word(here, start, "before") != edge_word(there, found[0], "before"):
            return None
        if edge_word(here, end, "after") != edge_word(there, found[1], "after"):
            return None
        return found

    def span(self, uri: str, edition: int, version: int, start: int, end: int) -> str:
        """Registers a passage and returns its id: its place in the first version where it stands."""
        key = (uri, edition)
        place = (version, start, end)
        while (found := self.maps(key, *place, back=True)) is not None:
            base = self.editions[key][place[0] - 1].base
            assert base is not None
            place = (base, *found)
        id_ = span_id(uri, edition, *place)
        self.spans[id_] = Span(uri, edition, place)
        self.kinds[id_] = "span"
        return id_

    def anchors(self, id_: str) -> dict[int, tuple[int, int]]:
        """Every version where a span stands, and where."""
        span = self.spans[id_]
        key = (span.uri, span.edition)
        found = {span.first[0]: (span.first[1], span.first[2])}
        for number, version in enumerate(self.editions[key], 1):
            if number > span.first[0] and version.base in found:
                place = self.maps(key, number, *found[version.base], back=False)
                if place is not None:
                    found[number] = place
        return found

    def beside(self, id_: str, number: int, anchors: Mapping[int, tuple[int, int]]) -> Any:
        """What stands around a span in a version."""
        span = self.spans[id_]
        text = self.editions[span.uri, span.edition][number - 1].text
        assert text is not None
        return TextIndex(text).neighbourhood(*anchors[number])

    def concerned(self, id_: str, change: Change, reader: int) -> bool:
        """Whether a change beside a span concerns who read it in a version: other neighbours, and never back."""
        anchors = self.anchors(id_)
        if reader not in anchors or change.target not in anchors or reader >= change.target:
            return False
        had = self.beside(id_, reader, anchors)
        if not neighbours_changed(had, self.beside(id_, change.target, anchors)):
            return False
        return not any(
            later > change.target and not neighbours_changed(had, self.beside(id_, later, anchors)) for later in anchors
        )

    def seed(self, correction: Correction, id_: str) -> int:
        """What a correction does to a span itself."""
        span, worst = self.spans[id_], 0
        anchors = self.anchors(id_)
        for change in correction.changes:
            if (change.uri, change.edition) != (span.uri, span.edition) or change.source not in anchors:
                continue
            if change.kind == "edition":
                worst = max(worst, self.edition_seed(change, anchors))
            elif change.target not in anchors:
                if not any(later > change.target for later in anchors):
                    worst = 2
            elif self.concerned(id_, change, change.source):
                worst = max(worst, 1)
        return worst

    def edition_seed(self, change: Change, anchors: Mapping[int, tuple[int, int]]) -> int:
        """While the newer edition has a text: review where it repeats the span, else invalid."""
        newer = self.editions[change.uri, change.target_edition]
        if newer[-1].text is None:
            return 0
        first = newer[0]
        old = self.editions[change.uri, change.edition][change.source - 1].text
        assert first.alignment is not None
        assert first.text is not None
        assert old is not None
        start, end = anchors[change.source]
        pairs = {a + at: b + at for a, b, length in first.alignment.blocks for at in range(length)}
        image = [pairs.get(at) for at in range(start, end)]
        if image[0] is None or image != list(range(image[0], image[0] + end - start)):
            return 2
        same = edge_word(old, start, "before") == edge_word(first.text, image[0], "before") and edge_word(
            old, end, "after"
        ) == edge_word(first.text, image[0] + end - start, "after")
        return 1 if same else 2

    # sections 3 and 5: names and derivations

    def current(self, name: tuple[str, str, str]) -> tuple[str | None, str, Run | None]:
        """(current node, the node named last, the run that retired the key)."""
        nodes = self.names[name]
        winner = max(nodes, key=lambda node: (max(nodes[node]), node))
        last = max(nodes[winner])
        kind, namespace, _ = name
        retired = [run for each, run in self.retirements if each == name and run.begin > last]
        retired += [run for space, what, run in self.sweeps if (space, what) == (namespace, kind) and run.begin > last]
        if retired:
            return None, winner, min(retired, key=lambda run: run.begin)
        return winner, winner, None

    def replaced(self) -> dict[str, str]:
        """Nodes that their key does not name any more → the run that replaced them."""
        found = {}
        for name, nodes in self.names.items():
            if name[0] in ("answer", "claim"):
                continue
            current, winner, retired = self.current(name)
            for node in nodes:
                if node == current:
                    continue
                if node == winner and retired is not None:
                    found[node] = retired.id
                else:
                    found[node] = self.runs[min(nodes[winner])].id
        return found

    def derivation(self, node: str) -> tuple[Edges, int]:
        """A node's current inputs and the completeness of its lineage."""
        mine = [each for each in self.registrations if each.node == node and not each.extends]
        if not mine:
            return {}, 0
        derived = [each for each in mine if each.run.derived]
        if derived:
            begin = max(each.run.begin for each in derived)
            chosen = [each for each in derived if each.run.begin == begin]
        else:
            begin = max(each.run.begin for each in mine)
            chosen = mine
        edges: Edges = {}
        for each in chosen:
            for key, version in each.edges.items():
                before = edges.get(key, version)
                edges[key] = version if before is None or version is None else min(before, version)
        for each in self.registrations:
            if each.node == node and each.extends and each.run.begin >= begin:
                for key, version in each.edges.items():
                    edges.setdefault(key, version)
        return edges, max(each.lineage for each in chosen)

    # section 6: what a correction affects

    def excluded(self, correction: Correction, node: str) -> bool:
        """Whether an answer's or claim's own scope lies in the old edition's validity."""
        if not any(change.kind == "edition" for change in correction.changes):
            return False
        as_of = self.scopes.get(node, {}).get("as_of")
        if self.kinds[node] not in ("answer", "claim") or as_of is None:
            return False
        begin, end = correction.old.get("valid_from"), correction.old.get("valid_to")
        return (
            (begin is not None or end is not None)
            and (begin is None or begin <= as_of)
            and (end is None or as_of < end)
        )

    def marks(self) -> dict[tuple[str, str], int]:
        """(cause, node) → 1 review or 2 invalid, for all that must be marked."""
        found: dict[tuple[str, str], int] = {}
        derivations = {node: self.derivation(node) for node in self.kinds}
        order = self.bottom_up({node: edges for node, (edges, _) in derivations.items()})
        replaced = self.replaced()
        causes: list[tuple[str, str, Correction | None]] = [(c.id, "correction", c) for c in self.corrections]
        causes += [(run, "replacement", None) for run in sorted(set(replaced.values()))]
        causes.append((INCOMPLETE, "incomplete", None))
        for cause, type_, correction in causes:
            here: dict[str, int] = {}
            for node in order:
                edges, lineage = derivations[node]
                if node in self.spans:
                    value = self.seed(correction, node) if correction is not None else 0
                else:
                    value = self.inherited(cause, type_, correction, node, edges, here)
                if type_ == "replacement" and replaced.get(node) == cause:
                    value = max(value, 1)
                if type_ == "incomplete" and lineage:
                    value = max(value, 1)
                if value:
                    here[node] = value
                    found[cause, node] = value
        return found

    def inherited(
        self, cause: str, type_: str, correction: Correction | None, node: str, edges: Edges, here: Mapping[str, int]
    ) -> int:
        """The worst of what passes, unless a decision stands."""
        passing: dict[str, int] = {}
        for (role, dst), version in edges.items():
            severity = here.get(dst, 0)
            if not severity or role not in PASS or (type_ == "replacement" and role not in ("cites", "claim")):
                continue
            if (
                severity == 1
                and dst in self.spans
                and correction is not None
                and not self.reads(correction, dst, version)
            ):
                continue
            if correction is not None and self.excluded(correction, node):
                continue
            passing[dst] = max(passing.get(dst, 0), PASS[role][severity])
        worst = max(passing.values(), default=0)
        for decision in reversed(self.decisions):
            if (decision.cause, decision.node, decision.made) == (cause, node, self.made.get(node)):
                if set(passing) <= decision.inputs and worst <= decision.severity:
                    return 0
                break
        return worst

    def reads(self, correction: Correction, span: str, version: int | None) -> bool:
        """Whether a review of a span concerns who read it in ``version``."""
        assert version is not None
        mine = self.spans[span]
        for change in correction.changes:
            if (change.uri, change.edition) != (mine.uri, mine.edition):
                continue
            if change.kind == "edition" or self.concerned(span, change, version):
                return True
        return False

    @staticmethod
    def bottom_up(edges: Mapping[str, Edges]) -> list[str]:
        """Nodes, each after its inputs."""
        order: list[str] = []
        done: set[str] = set()

        def visit(node: str) -> None:
            if node not in done:
                done.add(node)
                for _, dst in edges.get(node, {}):
                    visit(dst)
                order.append(node)

        for node in edges:
            visit(node)
        return order
