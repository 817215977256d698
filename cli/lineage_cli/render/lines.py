"""What the renderers of lines share."""

from __future__ import annotations

from lineage.exporters.plain import plural

__all__ = ["fitted", "fold", "middle", "plural", "shorten"]


def fold(text: str | None) -> str:
    """White space folded into single blanks."""
    return " ".join((text or "").split())


def shorten(text: str, longest: int | None) -> str:
    """The beginning of a text, with an ellipsis where something is left out. None leaves nothing out."""
    if longest is None or len(text) <= longest:
        return text
    return text[: max(longest - 1, 0)] + "…"


def middle(text: str, longest: int | None) -> str:
    """Both ends of a text, with an ellipsis where something is left out."""
    if longest is None or len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def fitted(parts: list[str], between: str, room: int | None, least: int = 8) -> str:
    """Parts in one line, each shortened as far as the room asks for; the last, what it leads to, last of all."""
    whole = between.join(parts)
    if room is None or len(whole) <= room:
        return whole
    for longest in range(60, least - 1, -4):
        found = between.join([*(shorten(part, longest) for part in parts[:-1]), parts[-1]])
        if len(found) <= room:
            return found
    return middle(between.join([*(shorten(part, least) for part in parts[:-1]), parts[-1]]), room)
