"""A RAPTOR tree as plain values: nodes by index, with their layer and the indexes of their children."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lineage.importers.raptor.unpickle import Inert, load
from lineage.importers.report import Notes
from lineage_schema.errors import BadInput


@dataclass(frozen=True)
class TreeNode:
    """``children`` are indexes, sorted. ``layer`` is 0 for leaves."""

    index: int
    text: str
    children: tuple[int, ...]
    layer: int


@dataclass(frozen=True)
class Tree:
    """All nodes by index, those of lower layers first."""

    nodes: Mapping[int, TreeNode]

    @property
    def leaves(self) -> list[TreeNode]:
        return [node for node in self.nodes.values() if node.layer == 0]


def read_tree(path: Path, notes: Notes, *, allow_numpy: bool = False) -> Tree:
    """The tree in ``path``. The same node may be stored several times; its index says that it is one."""
    item = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(item, "path", found=str(error), expected="a pickled RAPTOR tree") from None
    found, tree_class, node_class = load(data, item, allow_numpy=allow_numpy)
    if not isinstance(found, tree_class):
        raise BadInput(item, "pickle", found=type(found).__name__, expected="a raptor.tree_structures.Tree")
    texts: dict[int, str] = {}
    children: dict[int, tuple[int, ...]] = {}
    # all_nodes comes first: roots and leaves are copies of what is in it, and may lack in old trees.
    for part in ("all_nodes", "leaf_nodes", "root_nodes", "layer_to_nodes"):
        for node in _nodes(getattr(found, part, None), f"{item}: {part}"):
            index, text, below = _fields(node, node_class, f"{item}: {part}")
            if texts.setdefault(index, text) != text:
                notes.find("duplicate_index", f"node {index}", "its copies have different texts; the first is read")
            if children.setdefault(index, below) != below:
                notes.find("duplicate_index", f"node {index}", "its copies have different children; the first are read")
    if not texts:
        raise BadInput(item, "all_nodes", found="no nodes", expected="a tree with nodes")
    layers = _layers(children, item)
    _compare_layers(getattr(found, "layer_to_nodes", None), layers, notes)
    return Tree(
        {
            index: TreeNode(index, texts[index], children[index], layers[index])
            for index in sorted(texts, key=lambda index: (layers[index], index))
        }
    )


def _nodes(part: Any, item: str) -> Iterable[Any]:
    """The nodes of a part: a dict or a list of nodes, or a dict of lists of them."""
    if part is None:
        return
    members = part.values() if isinstance(part, Mapping) else part
    if not isinstance(members, Iterable) or isinstance(members, (str, bytes)):
        raise BadInput(item, "nodes", found=type(part).__name__, expected="a dict or a list of nodes")
    for member in members:
        if isinstance(member, Sequence) and not isinstance(member, (str, bytes)):
            yield from member
        else:
            yield member


def _fields(node: Any, node_class: type[Inert], item: str) -> tuple[int, str, tuple[int, ...]]:
    if not isinstance(node, node_class):
        raise BadInput(item, "node", found=type(node).__name__, expected="a raptor.tree_structures.Node")
    index, text, children = (getattr(node, name, None) for name in ("index", "text", "children"))
    if type(index) is not int:
        raise BadInput(item, "index", found=index, expected="a whole number")
    if not isinstance(text, str):
        raise BadInput(f"{item}: node {index}", "text", found=text, expected="a string")
    if children is None:
        children = ()
    if not isinstance(children, (AbstractSet, Sequence)) or any(type(child) is not int for child in children):
        raise BadInput(f"{item}: node {index}", "children", found=children, expected="a set of indexes")
    return index, text, tuple(sorted(set(children)))


def _layers(children: Mapping[int, tuple[int, ...]], item: str) -> dict[int, int]:
    """Each node's height over the leaves, or BadInput where a node is under itself."""
    layers: dict[int, int] = {}
    for start in children:
        # A stack, not recursion: a chain of summaries may be long.
        path, waiting = [start], {start}
        while path:
            index = path[-1]
            below = [child for child in children[index] if child in children]
            open_child = next((child for child in below if child not in layers), None)
            if index in layers or open_child is None:
                # A summary all of whose children are missing is still no leaf.
                lowest = 0 if children[index] else -1
                layers.setdefault(index, 1 + max((layers[child] for child in below), default=lowest))
                waiting.discard(path.pop())
            elif open_child in waiting:
                shown = " → ".join(map(str, [*path[path.index(open_child) :], open_child]))
                raise BadInput(item, "children", found=shown, expected="no node under itself")
            else:
                path.append(open_child)
                waiting.add(open_child)
    return layers


def _compare_layers(listed: Any, layers: Mapping[int, int], notes: Notes) -> None:
    if not isinstance(listed, Mapping):
        return
    for layer, nodes in listed.items():
        for node in nodes if isinstance(nodes, Iterable) else ():
            index = getattr(node, "index", None)
            if isinstance(index, int) and index in layers and layers[index] != layer:
                what = f"it is listed in layer {layer}, but stands {layers[index]} over the leaves"
                notes.find("layer_differs", f"node {index}", what)
