"""Splitters: whoever splits compound claims into parts. A caller does with ``--parts``; a rule and a model do here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from lineage_schema.errors import BadInput
from lineage_schema.judgments import JudgeId

CALLER: Final = JudgeId.of("caller", "1", {})
"""Under whom parts are kept that a caller gives."""
RULE, LLM = "rule", "llm"
SPLITTERS: Final = (RULE, LLM)


@dataclass(frozen=True, slots=True)
class Unsplit:
    """A claim has no parts, and why: what was found in place of them, and what was expected."""

    found: str
    expected: str


class Splitter(Protocol):
    """Whoever splits. ``id`` names it with all that may change its parts; ``batch``: claims that one call takes."""

    id: JudgeId
    batch: int

    def split(self, claims: Sequence[str]) -> Sequence[tuple[str, ...] | Unsplit]:
        """The parts of each claim, in order. A claim that is not compound is its only part."""
        ...


def splitter_named(name: str, settings: Mapping[str, Any]) -> Splitter:
    """Makes the splitter ``rule`` or ``llm``. Raises :class:`BadInput` for another, or for other settings."""
    from lineage_scoring.splitters.llm import Llm
    from lineage_scoring.splitters.rule import Rule

    if name not in SPLITTERS:
        raise BadInput("splitter", "name", found=name, expected=f"one of {', '.join(SPLITTERS)}")
    made = Rule if name == RULE else Llm
    try:
        return made(**settings)
    except TypeError as error:
        raise BadInput(f"splitter {name}", "settings", found=dict(settings), expected=str(error)) from None
