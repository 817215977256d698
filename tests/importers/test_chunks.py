"""Chunks: equal passages numbered by place, whatever order they come in."""

from lineage.importers.chunks import Passage, Placed, chunks
from lineage.importers.locate import Location
from lineage.importers.report import Notes
from lineage.importers.sources import Corpus, Source
from lineage_schema.records import SpanRef

SOURCE = Source("a.txt", 1, 2, "Yes. No. Yes.", "a.txt", new=False)


def placed(alias, *span):
    spans = (span,) if span else ()
    corpus = Corpus([SOURCE])
    location = Location("exact" if span else "unlocated", spans, len(spans))
    return Placed(Passage("Yes.", f"row {alias}", "a.txt", (alias,)), corpus, location, corpus.pieces(spans))


def test_numbers_follow_places_not_rows():
    rows = [placed("x"), placed("b", 9, 13), placed("a", 0, 4)]
    notes = Notes()
    found = chunks(rows, notes)
    assert [found[row.passage].key[2] for row in rows] == ["3", "2", "1"]
    assert {one.kind for one in notes.findings} == {"unlocated"}


def test_rows_of_one_place_are_one_chunk():
    rows = [placed("a", 0, 4), placed("b", 9, 13), placed("c", 0, 4)]
    notes = Notes()
    found = chunks(rows, notes)
    assert found[rows[0].passage] is found[rows[2].passage]
    assert found[rows[0].passage].aliases == {"a", "c"}
    assert found[rows[1].passage].key[2] == "2"
    assert [(one.kind, one.where) for one in notes.findings] == [("duplicate_row", "row c")]
    (span,) = [target for target, _ in found[rows[1].passage].inputs if isinstance(target, SpanRef)]
    assert (span.uri, span.edition, span.version, span.start, span.quote) == ("a.txt", 1, 2, 9, "Yes.")
