"""``[Data: …]`` as GraphRAG's prompts ask for it and as models print it."""

import pytest

from lineage.importers.graphrag.citations import citations


def read(text):
    return [(group.dataset, group.ids, group.more) for one in citations(text) for group in one.groups]


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("[Data: Entities (5, 7)]", [("Entities", ("5", "7"), False)]),
        (
            "[Data: Entities (1, 2); Relationships (3, 4, +more)]",
            [("Entities", ("1", "2"), False), ("Relationships", ("3", "4"), True)],
        ),
        (
            "[Data: Reports (2, 7), Sources (15); Claims (0)]",
            [("Reports", ("2", "7"), False), ("Sources", ("15",), False), ("Claims", ("0",), False)],
        ),
        ("[Data: Entities(6), Relationships (38)]", [("Entities", ("6",), False), ("Relationships", ("38",), False)]),
        ("[Data: Source (5)]", [("Sources", ("5",), False)]),
        ("[data: entity (05); report(1)]", [("Entities", ("5",), False), ("Reports", ("1",), False)]),
        ("[Data:Entities (1;2)]", [("Entities", ("1", "2"), False)]),
        ("[Data: Entities (1) and Relationships (2)]", [("Entities", ("1",), False), ("Relationships", ("2",), False)]),
        ("[Data: Entities (1, + more)]", [("Entities", ("1",), True)]),
        ("no citation (1, 2) [sic]", []),
    ],
)
def test_groups(text, groups):
    assert read(f"Before {text} after.") == groups
    assert not any(one.unread for one in citations(text))


def test_positions_are_those_of_the_text():
    text = "A fact – é [Data: Entities (1)]. Another [Data: Reports (2, 3); Sources(4)]."
    first, second = citations(text)
    assert (first.text, second.text) == ("[Data: Entities (1)]", "[Data: Reports (2, 3); Sources(4)]")
    assert [text[one.start : one.end] for one in (first, second)] == [first.text, second.text]
    assert [text[group.start : group.end] for group in second.groups] == ["Reports (2, 3)", "Sources(4)"]


def test_brackets_inside_brackets():
    text = "It rained [Data: Date_Range ((2001, 05, 12), (2001, 05, 14)); Entities (5, [6])] then."
    (one,) = citations(text)
    dates, entities = one.groups
    assert (dates.name, dates.dataset, dates.ids) == ("Date_Range", None, ())
    assert dates.other == ("(2001, 05, 12)", "(2001, 05, 14)")
    assert (entities.dataset, entities.ids, entities.other) == ("Entities", ("5",), ("[6]",))
    assert text[one.end :] == " then."


def test_what_is_no_number_is_kept():
    (one,) = citations("[Data: General Knowledge (href), Entities (1-3, x)]")
    knowledge, entities = one.groups
    assert (knowledge.name, knowledge.dataset, knowledge.other) == ("General Knowledge", None, ("href",))
    assert (entities.dataset, entities.ids, entities.other) == ("Entities", (), ("1-3", "x"))


@pytest.mark.parametrize(
    ("text", "groups", "unread"),
    [
        ("[Data: Entities 1, 2]", [], "Entities 1, 2"),
        ("[Data: (3), Entities (4)]", [("Entities", ("4",), False)], "(3)"),
        ("[Data: ]", [], ""),
        (
            "x [Data: Entities (1), Reports (2\nNext [Data: Claims (3)].",
            [("Entities", ("1",), False), ("Reports", ("2",), False), ("Claims", ("3",), False)],
            "(never closed)",
        ),
        ("[Data: Entities (1, 2; Relationships (3)] end", [("Entities", ("1", "2"), False)], ""),
    ],
)
def test_what_cannot_be_read_is_kept(text, groups, unread):
    assert read(text) == groups
    assert citations(text)[0].unread == unread


def test_one_that_is_never_closed_does_not_swallow_the_rest():
    text = "A [Data: Entities (1)\n\nB [Data: Reports (2)] c"
    first, second = citations(text)
    assert (first.text, second.text) == ("[Data: Entities (1)", "[Data: Reports (2)]")
