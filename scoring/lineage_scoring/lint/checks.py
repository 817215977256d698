"""The rules of the citation lint. Each finding has a stable code, a place, what was found and what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lineage_scoring.lint.reading import Answer, Definition, Marker, Sentence, read

ERROR, WARNING, INFO = "error", "warning", "info"
RULES: Final[Mapping[str, str]] = {
    "unknown-marker": ERROR,
    "reversed-range": ERROR,
    "wide-range": WARNING,
    "duplicate-citation": WARNING,
    "quote-absent": ERROR,
    "quote-respaced": INFO,
    "quote-unchecked": INFO,
    "cut-passage": WARNING,
    "title-differs": ERROR,
    "url-differs": ERROR,
    "coarse-citation": WARNING,
    "partial-list": WARNING,
    "uncited-sentence": INFO,
    "looks-like-marker": INFO,
}
"""Every rule with its level; ``--exit-code`` counts errors and warnings."""

COARSE: Final = 2_000
"""Code points: a passage longer than this, in a source that has sections, is better cited by its section."""
LEAST_QUOTE: Final = 3
"""Words: what is shorter may be quoted for its own sake."""
_QUOTES: Final = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|‘([^’\n]{12,})’")
_QUOTE_MARKS: Final = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'"})
_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+")
_ENDS: Final = re.compile(r"[.!?…][\"'”’»)\]]*\s*\Z")


@dataclass(frozen=True, slots=True)
class Source:
    """What a citation may point to. ``text`` is the cited passage, None where it cannot be shown.

    ``title`` and ``url`` are what the document was registered with. ``sections``: how many its document has; ``cut``:
    whether the passage begins or ends within a word of its document.
    """

    name: str
    text: str | None = None
    title: str | None = None
    url: str | None = None
    sections: int = 0
    whole: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. Offsets are code points of the answer; ``line`` and ``column`` count from 1."""

    rule: str
    start: int
    end: int
    line: int
    column: int
    found: str
    expected: str

    @property
    def level(self) -> str:
        return RULES[self.rule]

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule, "level": self.level, "start": self.start, "end": self.end, "line": self.line,
            "column": self.column, "found": self.found, "expected": self.expected,
        }  # fmt: skip


def lint(text: str, sources: Iterable[Source]) -> list[Finding]:
    """All findings of an answer, by place."""
    known = {source.name: source for source in sources}
    answer = read(text)
    found = [
        _finding(text, rule, start, end, what, expected)
        for check in (_markers, _sentences, _quotes, _definitions, _suspects)
        for rule, start, end, what, expected in check(answer, known)
    ]
    return sorted(found, key=lambda each: (each.start, each.end, each.rule, each.found))


_Row = tuple[str, int, int, str, str]


def _finding(text: str, rule: str, start: int, end: int, found: str, expected: str) -> Finding:
    line = text.count("\n", 0, start) + 1
    return Finding(rule, start, end, line, start - (text.rfind("\n", 0, start) + 1) + 1, found, expected)


def _markers(answer: Answer, known: Mapping[str, Source]) -> Iterator[_Row]:
    listed = ", ".join(sorted(known)) or "none"
    for marker in answer.markers:
        place = marker.start, marker.end
        for each in marker.reversed:
            yield "reversed-range", *place, each, "a range from low to high, of one kind"
        for each in marker.wide:
            yield "wide-range", *place, each, "a range that a reader can check"
        if marker.partial:
            yield "partial-list", *place, marker.raw, "all sources by name"
        for name in dict.fromkeys(marker.names):
            source = known.get(name)
            if source is None:
                yield "unknown-marker", *place, name, f"one of {listed}"
                continue
            yield from _passage(marker, source)


def _passage(marker: Marker, source: Source) -> Iterator[_Row]:
    place = marker.start, marker.end
    size = None if source.text is None else len(source.text)
    if source.sections > 1 and (source.whole or (size is not None and size > COARSE)):
        what = "the whole document" if source.whole else f"{size} code points"
        yield "coarse-citation", *place, f"{source.name}: {what}", f"one of its {source.sections} sections"
    if source.cut:
        yield "cut-passage", *place, source.name, "a passage that does not end within a word"
    elif source.text is not None and len(source.text.split()) > LEAST_QUOTE and not _ENDS.search(source.text):
        tail = source.text[-30:].strip()
        yield "cut-passage", *place, f"{source.name} ends with {tail!r}", "a passage that ends with its sentence"


def _sentences(answer: Answer, known: Mapping[str, Source]) -> Iterator[_Row]:
    cited = [sentence for sentence in answer.sentences if sentence.markers]
    for sentence in answer.sentences:
        seen: set[str] = set()
        for marker in sentence.markers:
            for name in marker.names:
                if name in seen:
                    yield "duplicate-citation", marker.start, marker.end, name, "each source once in a sentence"
                seen.add(name)
        if cited and not sentence.markers and any(character.isalpha() for character in sentence.text):
            yield "uncited-sentence", sentence.start, sentence.end, sentence.text[:60], "a citation, as others have"


def _quotes(answer: Answer, known: Mapping[str, Source]) -> Iterator[_Row]:
    for sentence in answer.sentences:
        for match in _QUOTES.finditer(sentence.text):
            quote = next(group for group in match.groups() if group is not None).strip()
            if len(quote.split()) < LEAST_QUOTE or not sentence.markers:
                continue
            start, end = sentence.start + match.start(), sentence.start + match.end()
            yield from _quote(quote, start, end, sentence, known)


def _quote(quote: str, start: int, end: int, sentence: Sentence, known: Mapping[str, Source]) -> Iterator[_Row]:
    names = dict.fromkeys(name for marker in sentence.markers for name in marker.names)
    cited = [known[name] for name in names if name in known]
    texts = [source.text for source in cited if source.text is not None]
    # A full stop or comma that the answer's own sentence put inside the quote marks is not the source's.
    bare = quote.rstrip(".,;")
    if any(bare in text for text in texts):
        return
    if any(_folded(bare) in _folded(text) for text in texts):
        yield "quote-respaced", start, end, quote, "the source's own white space and quote marks"
    elif len(texts) < len(cited) or len(cited) < len(names):
        yield "quote-unchecked", start, end, quote, "cited text that is there to be looked at"
    else:
        expected = f"words of {', '.join(source.name for source in cited)}"
        yield "quote-absent", start, end, quote, expected


def _folded(text: str) -> str:
    return " ".join(text.translate(_QUOTE_MARKS).split())


def _definitions(answer: Answer, known: Mapping[str, Source]) -> Iterator[_Row]:
    for each in answer.definitions:
        source = known.get(each.name)
        if source is None:
            yield "unknown-marker", each.start, each.end, each.name, f"one of {', '.join(sorted(known)) or 'none'}"
            continue
        yield from _definition(each, source)


def _definition(each: Definition, source: Source) -> Iterator[_Row]:
    urls: Sequence[str] = [url.rstrip(".,;") for url in _URL.findall(each.text)]
    title = _URL.sub("", each.text).strip(' ,;.<>()[]–-"“”')
    if urls and urls[0] != source.url:
        expected = source.url or "no URL: its document was registered without one"
        yield "url-differs", each.start, each.end, urls[0], expected
    if title and _folded(title) != _folded(source.title or ""):
        expected = source.title or "no title: its document was registered without one"
        yield "title-differs", each.start, each.end, title, expected


def _suspects(answer: Answer, known: Mapping[str, Source]) -> Iterator[_Row]:
    for each in answer.suspects:
        yield "looks-like-marker", each.start, each.end, each.raw, f"not read as a citation: {each.why}"
