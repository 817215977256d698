"""Judges that come with the package, and how one is named.

``lexical`` is a baseline, kept to be beaten; ``llm`` a model behind an HTTP endpoint; ``nli`` a cross-encoder on this
machine. Any other is named ``MODULE:CLASS``: a subclass of :class:`lineage_scoring.judging.Judge`, made with the
settings that are given as keyword arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from lineage_schema.errors import BadInput
from lineage_scoring.judging import Judge

BUILT_IN = {
    "lexical": "lineage_scoring.judges.lexical:Lexical",
    "llm": "lineage_scoring.judges.llm:Llm",
    "nli": "lineage_scoring.judges.nli:Nli",
}


def judge_named(name: str, settings: Mapping[str, Any]) -> Judge:
    """Makes the judge of that name. Raises :class:`BadInput` for one that is not there or takes other settings."""
    module, colon, attribute = BUILT_IN.get(name, name).partition(":")
    if not colon:
        raise BadInput("judge", "name", found=name, expected=f"{', '.join(BUILT_IN)}, or MODULE:CLASS")
    try:
        made = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput("judge", "name", found=name, expected=f"a class that can be loaded ({error})") from None
    if not (isinstance(made, type) and issubclass(made, Judge)):
        raise BadInput("judge", "name", found=name, expected="a subclass of lineage_scoring.judging.Judge")
    try:
        return made(**settings)
    except TypeError as error:
        raise BadInput(f"judge {name}", "settings", found=dict(settings), expected=str(error)) from None
