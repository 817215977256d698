"""Text from sources and models, made safe to print on one line."""

from __future__ import annotations

import unicodedata

from lineage.trace import Trace, TraceNode
from lineage_schema.vocabulary import Kind

CAVEAT = "This shows what the claim rests on, not that the model read it."

FATES = {
    "stands": "stands",
    "context": "stands, text beside it changed",
    "edition": "a newer edition says the same",
    "changed": "CHANGED",
    "deleted": "DELETED",
    "withdrawn": "WITHDRAWN",
}
"""What became of a span, in words."""
HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Categories of characters that are not seen, or that move others."""
JOINERS = "\u200c\u200d"
"""Hidden too, but parts of words in several scripts and of emoji."""


def visible(text: str, keep: str = "\n\r\t") -> str:
    """Control, formatting and separator characters written out, as ``\\x1b`` or ``\\u202e``, but those in ``keep``.

    A source must not colour a terminal, reverse what is read, or end a picture's label.
    """
    if text.isprintable():
        return text
    return "".join(
        _escaped(character) if unicodedata.category(character) in HIDDEN and character not in keep else character
        for character in text
    )


def line(text: str) -> str:
    """As :func:`visible`, on one line: for names, whose white space is not folded."""
    return visible(text, "")


def _escaped(character: str) -> str:
    if character in JOINERS:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def fold(text: str, longest: int = 160) -> str:
    """White space folded, and the middle of a long text left out with the number of code points that are missing."""
    folded = visible(" ".join(text.split()))
    if len(folded) <= longest:
        return folded
    half = longest // 2
    return f"{folded[:half]}…({len(folded) - 2 * half} more)…{folded[-half:]}"


def short(node: TraceNode) -> str:
    """A node's label for a picture, with its status unless it is fresh: severity is never shown by colour alone."""
    kind = "" if node.view.kind == Kind.SPAN else f"{node.view.kind}: "
    text = f"{kind}{fold(node.label, 80)}"
    if node.passage is not None and node.passage.fate is not None:
        return f"{text} ({FATES.get(node.passage.cls, node.passage.cls)})"
    return text if node.status == "fresh" else f"{text} ({node.status})"


def notes(trace: Trace) -> list[str]:
    """What a reader must be told of the whole: what a limit cut, what is pending, what is not final."""
    found = []
    if trace.cut:
        found.append(f"{plural(trace.cut, 'more node')} met and left out by the limit; what lies behind was not read")
    if trace.pending:
        found.append(f"propagating: {plural(trace.pending, 'mark')} still to be carried on (lineage propagate)")
    if trace.as_of is not None:
        final = "" if trace.final else ", not final: a run that began by then has not finished, or it is yet to come"
        found.append(f"as of sequence number {trace.as_of}{final}")
    return found


def plural(count: int, noun: str) -> str:
    """``1 span``, ``2 spans``."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"
