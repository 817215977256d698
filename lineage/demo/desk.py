"""The citation desk: six short sources, six versions of an answer about returns, and recorded judgments.

Each version makes one point about citations. What supports what is decided here by hand, in
``SUPPORTED_BY``. A judgment exists for every question that scoring asks of the cited sets, and
for the whole context and each source alone, which tell how a citation could be repaired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from lineage.demo.files import DESK_NAMESPACE
from lineage.demo.forms import Cited, Form, Statement, Target, answer

QUESTION: Final = "How do returns of standard items work?"
VERSION_LABEL: Final = "sachin-demo-v1"

SOURCES: Final = {
    "S1": "Standard items can be sent back for 30 days, counted from the day of delivery.",
    "S2": "A receipt is required for standard-item returns.",
    "S3": "Refunds for standard items are paid to the original payment method.",
    "S4": "The help desk takes questions about returns from Monday to Friday.",
    "S5": "Clearance items cannot be returned.",
    "S6": "The return period of a standard item is 30 days and starts with its delivery.",
}

STATEMENTS: Final = {
    "C1": "Standard items may be returned within 30 days of delivery.",
    "C2": "You need a receipt to return a standard item.",
    "C3": "The refund for a standard item goes back to the way you paid.",
    "C4": "On weekdays, the help desk answers questions about returns.",
    "C5": "Standard and clearance items may be returned within 30 days of delivery.",
    "C6": "Standard items may be returned within 30 days of delivery, and a receipt is required.",
}

SUPPORTED_BY: Final[dict[str, tuple[frozenset[str], ...]]] = {
    "C1": (frozenset({"S1"}), frozenset({"S6"})),
    "C2": (frozenset({"S2"}),),
    "C3": (frozenset({"S3"}),),
    "C4": (frozenset({"S4"}),),
    "C5": (),
    "C6": (frozenset({"S1", "S2"}), frozenset({"S2", "S6"})),
}
"""The smallest sets of sources that support a statement; a set with one of them in it supports it too."""

CONTRADICTED_BY: Final = {"C5": "S5"}

ANSWERS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "Original": {"C1": ("S2",), "C2": ("S2",), "C3": (), "C4": ("S4",)},
    "Repaired": {"C1": ("S1",), "C2": ("S2",), "C3": ("S3",), "C4": ("S4",)},
    "Padded": {"C1": ("S1", "S2", "S3"), "C2": ("S2",), "C3": ("S3",), "C4": ("S4",)},
    "Joint support": {"C6": ("S1", "S2")},
    "Two full supports": {"C1": ("S1", "S6")},
    "Overbroad claim": {"C5": ("S1", "S5")},
}

# What one may try on the padded answer: the two full supports, and the receipt alone.
TRIED: Final = (("C1", ("S1", "S6")), ("C1", ("S2",)))

_ABOUT: Final = {
    "S1": "the return window of standard items",
    "S2": "the receipt for a return",
    "S3": "the payment of refunds",
    "S4": "the hours of the help desk",
    "S5": "clearance items",
    "S6": "the return window of standard items",
}
_CLAIMED: Final = {
    "C1": "how long standard items may be returned",
    "C2": "that a return needs a receipt",
    "C3": "where a refund is paid",
    "C4": "when the help desk answers",
    "C5": "that clearance items may be returned",
    "C6": "both the return window and the receipt",
}


def records() -> Iterator[Form]:
    """The desk as recorded forms: sources, their passages, then every answer with all sources in its context."""
    yield {
        "type": "run",
        "namespace": DESK_NAMESPACE,
        "key": "citation-desk",
        "producer": "citation-desk",
        "version": VERSION_LABEL,
    }
    for name, text in SOURCES.items():
        yield {
            "type": "document",
            "uri": _uri(name),
            "text": text,
            "title": name,
            "namespace": DESK_NAMESPACE,
            "applicability": {"version": VERSION_LABEL},
        }
        yield {"type": "span", **_passage(name).ref}
    for key, statements in ANSWERS.items():
        yield from answer(
            DESK_NAMESPACE,
            key,
            QUESTION,
            [
                Statement(
                    label, STATEMENTS[label], tuple(Cited(f"[{name}]", _passage(name)) for name in statements[label])
                )
                for label in statements
            ],
            [_passage(name) for name in SOURCES],
            searched=[DESK_NAMESPACE],
        )
    yield {"type": "finish"}


def judgments() -> Iterator[Form]:
    """A verdict on each question, once: the cited set, each source alone, and the set without each."""
    asked = [(label, cited) for answers in ANSWERS.values() for label, cited in answers.items()]
    questions = [(label, names) for label, cited in [*asked, *TRIED] for names in _family(cited)]
    # Whether what was retrieved supports a statement, and which source alone would repair its citation.
    context = tuple(SOURCES)
    questions += [(label, names) for label in STATEMENTS for names in [context, *((name,) for name in context)]]
    for label, names in dict.fromkeys(questions):
        verdict, reason = _judge(label, names)
        yield {"statement": STATEMENTS[label], "passages": list(names), "verdict": verdict, "reason": reason}


def _family(cited: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The sets that a score asks about. An empty one is unsupported without asking."""
    if cited:
        yield cited
        yield from ((name,) for name in cited)
        # In the order of what is left out: the last left out comes first in combinations.
        yield from (rest for rest in reversed(list(combinations(cited, len(cited) - 1))) if rest)


def _judge(label: str, names: Sequence[str]) -> tuple[str, str]:
    for enough in SUPPORTED_BY[label]:
        if enough <= set(names):
            which = _listed([name for name in names if name in enough])
            return (
                "supported",
                f"{which} {'establishes' if len(enough) == 1 else 'together establish'} {_CLAIMED[label]}.",
            )
    if CONTRADICTED_BY.get(label) in names:
        return "contradicted", f"{CONTRADICTED_BY[label]} denies {_CLAIMED[label]}."
    subjects = _listed(list(dict.fromkeys(_ABOUT[name] for name in names)))
    be, do = ("is", "It does") if len(names) == 1 else ("are", "They do")
    return (
        "not_supported",
        f"Topically related but insufficient: {_listed(names)} {be} about {subjects}."
        f" {do} not establish {_CLAIMED[label]}.",
    )


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _uri(name: str) -> str:
    return f"{DESK_NAMESPACE}/{name}"


def _passage(name: str) -> Target:
    text = SOURCES[name]
    return Target({"uri": _uri(name), "version": 1, "start": 0, "end": len(text), "quote": text}, text, derived=False)
