"""A RAPTOR tree as drafts of nodes, inputs before what rests on them. Pure: no files, no graph."""

from __future__ import annotations

from collections.abc import Sequence

from lineage.importers.chunks import Passage, chunks, place
from lineage.importers.drafts import Draft, digest, unify
from lineage.importers.raptor.tree import Tree, TreeNode
from lineage.importers.report import Notes
from lineage.importers.sources import Corpus, Source
from lineage_schema.identity import content_hash, key_text
from lineage_schema.vocabulary import Kind, Origin, Role


def drafts_of(tree: Tree, sources: Sequence[Source], namespace: str, notes: Notes) -> list[Draft]:
    """The chunks and summaries of ``tree``; ``sources`` in the order in which they were joined to make it."""
    notes.read.update(
        {"document": len(sources), Kind.CHUNK: len(tree.leaves), Kind.SUMMARY: len(tree.nodes) - len(tree.leaves)}
    )
    found = _leaves(tree, sources, namespace, notes)
    made = list(dict.fromkeys(found.values()))
    for layer in range(1, max(node.layer for node in tree.nodes.values()) + 1):
        summaries = {
            node.index: _summary(node, tree, found, notes) for node in tree.nodes.values() if node.layer == layer
        }
        # One layer at a time: a summary's key is made of its children's, which must be final.
        stands = unify(list(summaries.values()), notes)
        found.update({index: stands[draft] for index, draft in summaries.items()})
        made.extend(dict.fromkeys(stands.values()))
    return made


def _leaves(tree: Tree, sources: Sequence[Source], namespace: str, notes: Notes) -> dict[int, Draft]:
    """The chunk of each leaf that has a text. Leaves are in document order by index, but for cut sentences."""
    passages: dict[int, Passage] = {}
    home = min((source.uri for source in sources), default=namespace)
    for leaf in tree.leaves:
        if leaf.text.strip():
            passages[leaf.index] = Passage(leaf.text, f"leaf {leaf.index}", home, (f"node {leaf.index}",))
        else:
            notes.located["unlocated"] += 1
            notes.find("empty_leaf", f"leaf {leaf.index}", "it has no text, so there is nothing to locate or register")
    corpus = Corpus(sources) if sources else None
    if corpus is None and passages:
        notes.find("no_source", "leaves", f"no source was given, so none of {len(passages)} leaves is located")
    found = chunks(place(list(passages.values()), corpus, notes), notes)
    return {index: found[passage] for index, passage in passages.items()}


def _summary(node: TreeNode, tree: Tree, found: dict[int, Draft], notes: Notes) -> Draft:
    where = f"node {node.index}"
    children = [found[child] for child in node.children if child in found]
    draft = Draft(
        Kind.SUMMARY,
        (str(node.layer), digest(key_text(child.key) for child in children)),
        node.text,
        where,
        attributes={"level": node.layer},
        aliases={where},
        tiebreaks=(content_hash(node.text),),
    )
    for child in children:
        draft.add(child, Role.CHILD, Origin.LISTED)
    missing = [str(child) for child in node.children if child not in tree.nodes]
    draft.lacks(notes.dangling(where, "node", missing, len(node.children)))
    return draft
