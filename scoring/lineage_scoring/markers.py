"""What ALCE reads in an answer: its statements, which documents each cites, and the claim that is judged.

The rules are those of ALCE's evaluator (Gao et al. 2023, arXiv 2305.14627, section 3.3; ``eval.py`` and ``utils.py``
of princeton-nlp/ALCE at 246c476), kept where they surprise: a figure called ALCE's must come out as ALCE's own does.
They are for scoring alone. What a marker means to a reader is not asked here: ``[1, 2]`` cites only 1, and a marker
behind a full stop belongs to the next sentence or is a statement by itself.
"""

from __future__ import annotations

import re
import sys
from typing import Final

from lineage_scoring.splitting import punkt_sentences

__all__ = ["cited", "claim", "first_line", "list_statements", "sentences"]

_MARKER: Final = re.compile(r"\[(\d+)")
_MARKER_AND_SPACE: Final = re.compile(r" ?\[\d+")


def first_line(output: str) -> str:
    """What ALCE's command line keeps of a model's output before it scores it.

    All behind the first line end is dropped, so an answer of several paragraphs is scored on its first. Only ``\\n``
    is a line end here. :func:`lineage_scoring.alce.compute_autoais` does not cut, as ALCE's function does not.
    """
    line, _, _ = output.strip().partition("\n")
    return line.replace("<|im_end|>", "")


def sentences(output: str) -> list[str]:
    """The statements of an answer in prose: every sentence, also a greeting, a refusal, or a marker left by itself.

    A blank answer has none. Raises MissingDependency where the extra ``alce`` is not installed.
    """
    return punkt_sentences(output)


def list_statements(question: str, output: str) -> list[str]:
    """The statements of an answer that is a list (QAMPARI; section 3.3): the question and one item each.

    Any comma ends an item, also within ``[1, 2]`` or a date. Behind the last item one run of full stops and then one
    of commas are dropped. An item may be empty, and a blank answer is one empty item.
    """
    listed = output.rstrip().rstrip(".").rstrip(",")
    return [f"{question} {item.strip()}" for item in listed.split(",")]


def cited(statement: str) -> tuple[int, ...]:
    """The documents that a statement cites, counted from 0, in the order of its markers and as often as they stand.

    A marker is ``[`` with digits behind it, closed or not: ``[2019]`` and ``[12`` are markers, ``[a]`` and ``[^1]``
    are none. ``[0]`` is -1, which ALCE takes for the last document.
    """
    return tuple(_number(digits) - 1 for digits in _MARKER.findall(statement))


def claim(statement: str) -> str:
    """The statement as it is judged: without its markers, every ``]`` and every `` |``, trimmed of white space.

    More goes than the markers: ``see [Smith] and a[0] | b [3].`` becomes ``see [Smith and a b.``
    """
    return _MARKER_AND_SPACE.sub("", statement).replace(" |", "").replace("]", "").strip()


def _number(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        # Python converts some thousands of digits and no more. No list of documents is as long as that.
        return sys.maxsize
