"""A RAPTOR-shaped tree over three of the handbook's pages, and the pickle that RAPTOR keeps it in.

The tree knows nothing of its sources, as RAPTOR's do not: leaves are passages of the pages put
end to end, summaries are written by hand.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

PROTOCOL: Final = 4
MODULE: Final = "raptor.tree_structures"

# Where the leaves of each page end; the last one ends with the page.
_LEAF_ENDS: Final = {
    "returns.md": ("within 30 days of delivery.", "with a photograph."),
    "receipts.md": ("does not count.", "the last 60 days."),
    "clearance.md": ("unless the item is faulty.", "not adjusted after purchase."),
}


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary's index, its layer (leaves are layer 0), what it was made from, and its text."""

    index: int
    layer: int
    children: tuple[int, ...]
    text: str


SUMMARIES: Final = (
    Summary(
        9,
        1,
        # RAPTOR's clusters overlap: leaf 3 is in this one and in the next.
        (0, 1, 2, 3),
        "Standard items can go back within 30 days of delivery, counted from the carrier's record, unused, tagged and"
        " with a receipt. Boats, engines and life rafts need an inspection first. The refund is issued within 5 working"
        " days after inspection, and customers outside the Tide Club pay €6 for the return.",
    ),
    Summary(
        10,
        1,
        (3, 4, 5, 6, 7, 8),
        # Drifted: the leaves allow the exchange for 7 days. No leaf says 21.
        "Clearance items are final sale unless they are faulty. They can be exchanged for another size within 21 days"
        " of delivery while stock lasts, with the receipt and the yellow tag. Copies of lost receipts can be had for 24"
        " months, and a gift receipt brings an exchange or store credit.",
    ),
    Summary(
        11,
        2,
        (9, 10),
        "Harbor Outfitters takes back standard items for a limited time and against a receipt. Clearance items stay"
        " sold, though a size may be exchanged. Lost receipts and gift receipts have rules of their own.",
    ),
)
DRIFTED: Final = 10


@dataclass(frozen=True, slots=True)
class Leaf:
    """A passage of a page, as an exact slice of it."""

    index: int
    page: str
    start: int
    end: int
    text: str


def leaves(pages: Mapping[str, str]) -> tuple[Leaf, ...]:
    """The pages cut after the sentences named above, without the white space between the passages."""
    found: list[Leaf] = []
    for page, ends in _LEAF_ENDS.items():
        text = pages[page]
        at = 0
        for end in [*(text.index(words) + len(words) for words in ends), len(text.rstrip())]:
            start = end - len(text[at:end].lstrip())
            found.append(Leaf(len(found), page, start, end, text[start:end]))
            at = end
    return tuple(found)


def as_pickle(pages: Mapping[str, str]) -> bytes:
    """The tree as bytes. The only globals in them are RAPTOR's ``Tree`` and ``Node``."""
    with _stand_ins() as (tree_class, node_class):

        def node(index: int, text: str, children: tuple[int, ...]) -> Any:
            made = node_class()
            made.text, made.index, made.children, made.embeddings = text, index, set(children), {}
            return made

        layers: dict[int, list[Any]] = {0: [node(leaf.index, leaf.text, ()) for leaf in leaves(pages)]}
        for summary in SUMMARIES:
            layers.setdefault(summary.layer, []).append(node(summary.index, summary.text, summary.children))
        tree = tree_class()
        tree.all_nodes = {one.index: one for layer in layers.values() for one in layer}
        tree.root_nodes = {one.index: one for one in layers[max(layers)]}
        tree.leaf_nodes = {one.index: one for one in layers[0]}
        tree.num_layers = max(layers)
        tree.layer_to_nodes = layers
        return pickle.dumps(tree, protocol=PROTOCOL)


@contextmanager
def _stand_ins() -> Generator[tuple[Any, Any], None, None]:
    """Classes that pickle under RAPTOR's names, which is only possible while they can be imported by them."""
    package, module = ModuleType("raptor"), ModuleType(MODULE)
    classes = tuple(type(name, (), {"__module__": MODULE}) for name in ("Tree", "Node"))
    for made in classes:
        setattr(module, made.__name__, made)
    before = {name: sys.modules.get(name) for name in ("raptor", MODULE)}
    sys.modules.update({"raptor": package, MODULE: module})
    try:
        yield classes[0], classes[1]
    finally:
        for name, known in before.items():
            if known is None:
                del sys.modules[name]
            else:
                sys.modules[name] = known
