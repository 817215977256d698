"""GraphRAG's files: names, formats, cells, and the shapes of four generations."""

import csv
import sys

import pytest

from lineage.importers.graphrag import cells
from lineage.importers.graphrag.index import read_index
from lineage.importers.graphrag.tables import find_folder, read_tables
from lineage.importers.report import Notes
from lineage_schema.errors import BadInput, MissingDependency


def names(value):
    return cells.names(value, item="x", column="ids")


def index(folder, wanted="auto"):
    notes = Notes()
    return read_index(read_tables(find_folder(folder), wanted), notes), notes


# Cells


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        (float("nan"), ()),
        ("", ()),
        ("[]", ()),
        ([], ()),
        ("['a']", ("a",)),
        ("['a' 'b'\n 'c']", ("a", "b", "c")),
        ("['a', \"b'c\"]", ("a", "b'c")),
        ("[7 8 9]", ("7", "8", "9")),
        ("[7, 8]", ("7", "8")),
        ([7, 8], ("7", "8")),
        (["a", "a", "b"], ("a", "b")),
        # Versions before 1: several ids in one string.
        (["a,b", "b,c"], ("a", "b", "c")),
        ("a,b", ("a", "b")),
        (r"['a\'b']", ("a'b",)),
    ],
)
def test_list_cells(value, expected):
    assert names(value) == (expected, False)


def test_a_list_that_numpy_shortened_says_so():
    assert names("['a' 'b' ... 'y' 'z']") == (("a", "b", "y", "z"), True)


@pytest.mark.parametrize("value", ["['a' 'b'", "['a' __import__('os')]", "[[1], [2]]", 7])
def test_a_list_cell_that_is_none_is_refused(value):
    with pytest.raises(BadInput, match="ids: expected a list"):
        names(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, "7"), (7.0, "7"), ("7", "7"), ("7.0", "7"), (None, None), ("", None), (float("nan"), None), (-1, "-1")],
)
def test_numbers_as_names(value, expected):
    assert cells.number(value) == expected


def test_a_level_must_be_a_number():
    with pytest.raises(BadInput, match=r"x: level: expected a whole number, found 'deep'"):
        cells.integer("deep", item="x", column="level")


def test_figures():
    assert [cells.figure(value) for value in ("1.5", "3", "high", "", float("inf"), None, 2)] == [
        1.5,
        3,
        "high",
        None,
        None,
        None,
        2,
    ]


# Files


def test_both_formats_read_alike(rows, tmp_path):
    tables = rows.index()
    tables["documents"][0]["text"] = '\ufeffA, "quoted"\r\ntext\rwith every line end\n' + tables["documents"][0]["text"]
    from_csv, _ = index(rows.write_csv(tmp_path / "csv", tables))
    from_parquet, _ = index(rows.write_parquet(tmp_path / "parquet", tables))
    for table in ("documents", "units", "entities", "relationships", "covariates", "communities", "reports"):
        left = [vars(row) for row in getattr(from_csv, table)]
        assert left == [vars(row) for row in getattr(from_parquet, table)]
        assert left
    assert from_csv.documents[0].text.startswith('\ufeffA, "quoted"\r\ntext\rwith')


def test_parquet_is_preferred_unless_csv_is_asked_for(rows, tmp_path):
    tables = rows.index()
    rows.write_parquet(tmp_path, tables)
    tables["entities"][0]["description"] = "from CSV"
    rows.write_csv(tmp_path, {"entities": tables["entities"]})
    assert index(tmp_path)[0].entities[0].description == "Alice is a traveller."
    assert index(tmp_path, "csv")[0].entities[0].description == "from CSV"
    # A table that is not there as CSV is read as parquet.
    assert index(tmp_path, "csv")[0].reports


def test_a_table_that_is_only_csv_is_read_beside_parquet(rows, tmp_path):
    tables = rows.index()
    rows.write_csv(tmp_path, {"entities": tables.pop("entities")})
    rows.write_parquet(tmp_path, tables)
    assert len(index(tmp_path)[0].entities) == 3
    assert not index(tmp_path, "parquet")[0].entities


def test_a_long_field_is_read_and_the_limit_put_back(rows, tmp_path):
    limit = csv.field_size_limit()
    text = "x" * (limit + 1)
    found, _ = index(rows.write_csv(tmp_path, rows.index(f"{text}\n\nend")))
    assert found.documents[0].text == f"{text}\n\nend"
    assert csv.field_size_limit() == limit


def test_a_csv_file_that_begins_with_a_mark(rows, tmp_path):
    rows.write_csv(tmp_path, rows.index())
    path = tmp_path / "entities.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert index(tmp_path)[0].entities[0].id == "e1"


@pytest.mark.parametrize("content", [b"id,title\n1\n", b"id,title\n1,2,3\n", b'id,title\n"1,2\n', b"id,t\xff\n1,2\n"])
def test_a_damaged_csv_file_is_refused(rows, tmp_path, content):
    rows.write_csv(tmp_path, rows.index())
    (tmp_path / "entities.csv").write_bytes(content)
    with pytest.raises(BadInput, match=r"entities\.csv"):
        index(tmp_path)


def test_a_damaged_parquet_file_is_refused(rows, tmp_path):
    rows.write_parquet(tmp_path, rows.index())
    (tmp_path / "entities.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(BadInput, match=r"entities\.parquet"):
        index(tmp_path)


def test_without_pyarrow_parquet_names_the_extra(rows, tmp_path, monkeypatch):
    rows.write_parquet(tmp_path / "parquet", rows.index())
    rows.write_csv(tmp_path / "csv", rows.index())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match="reading parquet needs the extra 'graphrag'"):
        index(tmp_path / "parquet")
    assert index(tmp_path / "csv")[0].units


def test_where_the_tables_may_be(rows, tmp_path):
    rows.write_csv(tmp_path / "a" / "output", rows.index())
    assert find_folder(tmp_path / "a") == tmp_path / "a" / "output"
    for time in ("20240101-120000", "20240301-120000"):
        rows.write_csv(tmp_path / "b" / "output" / time / "artifacts", rows.index())
    assert find_folder(tmp_path / "b") == tmp_path / "b" / "output" / "20240301-120000" / "artifacts"


def test_a_folder_without_tables_is_refused(tmp_path):
    (tmp_path / "readme.txt").write_text("nothing")
    with pytest.raises(BadInput, match=r"expected GraphRAG's output tables .*found \['readme.txt'\]"):
        find_folder(tmp_path)
    with pytest.raises(BadInput, match="expected a folder"):
        find_folder(tmp_path / "readme.txt")


def test_documents_are_required(rows, tmp_path):
    tables = rows.index()
    del tables["documents"]
    with pytest.raises(BadInput, match=r"documents: expected a table documents\.parquet or \.csv"):
        index(rows.write_csv(tmp_path, tables))


def test_a_missing_column_is_named(rows, tmp_path):
    tables = rows.index()
    for row in tables["text_units"]:
        del row["text"]
    with pytest.raises(BadInput, match="expected a column text or chunk"):
        index(rows.write_csv(tmp_path, tables))


def test_a_list_that_was_cut_is_a_finding(rows, tmp_path):
    tables = rows.index()
    rows.write_csv(tmp_path, tables)
    path = tmp_path / "entities.csv"
    path.write_text(path.read_text().replace("['u1'\n 'u2']", "['u1' ... 'u2']"))
    found, notes = index(tmp_path)
    assert [row.capped for row in found.entities] == [True, False, False]
    assert {(one.kind, one.where) for one in notes.findings} == {("capped_list", "entities.csv row 0")}


# Shapes


def test_version_3(rows, tmp_path):
    found, _ = index(rows.write_parquet(tmp_path, rows.index()))
    assert found.shape == "3.x"
    assert found.units[0].document_ids == ("d1",)
    assert found.entities[0].figures == {"degree": 1, "frequency": 2}
    assert (found.communities[1].parent, found.communities[0].children) == ("0", ("1",))


def test_version_2(rows, tmp_path):
    tables = rows.index()
    for row in tables["text_units"]:
        row["document_ids"] = [row.pop("document_id")]
    found, _ = index(rows.write_parquet(tmp_path, tables))
    assert found.shape == "2.x"
    assert found.units[0].document_ids == ("d1",)


def test_version_0_5(rows, tmp_path):
    tables = {f"create_final_{name}": table for name, table in rows.index().items()}
    for row in tables["create_final_text_units"]:
        row["document_ids"] = [row.pop("document_id")]
    for row in tables["create_final_communities"]:
        del row["children"], row["parent"]
        row["text_unit_ids"] = [",".join(row["text_unit_ids"])]
    tables["create_final_nodes"] = [
        {"id": "e1", "human_readable_id": 0, "title": "ALICE", "community": community, "level": level, "degree": 5}
        for community, level in ((0, 0), (1, 1))
    ]
    found, _ = index(rows.write_parquet(tmp_path, tables))
    assert found.shape == "0.5-1.x"
    assert found.communities[0].unit_ids == ("u1", "u2")
    assert found.communities[0].parent is None
    assert found.membership == {("0", 0): ("ALICE",), ("1", 1): ("ALICE",)}
    assert found.entities[0].figures["degree"] == 1


def test_version_0_3(rows, tmp_path):
    tables = rows.index()
    units = tables["text_units"]
    for row in units:
        row["document_ids"] = [row.pop("document_id")]
        del row["human_readable_id"]
    document = tables["documents"][0]
    document["raw_content"] = document.pop("text")
    nodes = tables["nodes"] = []
    for level, community in ((0, "0"), (1, None)):
        nodes += [
            {
                "level": level,
                "title": title,
                "type": "PERSON",
                "description": f"{title} is here.",
                "source_id": "u1,u2",
                "community": community,
                "degree": 3,
                "human_readable_id": number,
                "id": f"e{number}",
                "__index_level_0__": number,
            }
            for number, title in enumerate(("ALICE", "BOB"))
        ]
    del tables["entities"]
    for row in tables["relationships"]:
        row["human_readable_id"] = str(row["human_readable_id"])
        row["rank"] = 7
    tables["communities"] = [
        {
            "id": "0",
            "title": "Community 0",
            "level": 0,
            "raw_community": "0",
            "relationship_ids": ["r1"],
            "text_unit_ids": ["u1,u2"],
        }
    ]
    tables["community_reports"] = [
        {
            "id": "p0",
            "community": "0",
            "level": 0,
            "title": "All",
            "full_content": "Text",
            "rank": 5.0,
            "rank_explanation": "so",
        }
    ]
    found, _ = index(rows.write_parquet(tmp_path, {f"create_final_{name}": table for name, table in tables.items()}))
    assert found.shape == "0.1-0.4"
    assert found.documents[0].text.startswith("Alice met")
    # One entity for the rows of both levels.
    assert [(row.id, row.title, row.unit_ids, row.number) for row in found.entities] == [
        ("e0", "ALICE", ("u1", "u2"), "0"),
        ("e1", "BOB", ("u1", "u2"), "1"),
    ]
    assert found.membership == {("0", 0): ("ALICE", "BOB")}
    assert (found.communities[0].number, found.communities[0].entity_ids) == ("0", None)
    assert found.relationships[0].figures["rank"] == 7
    assert [row.position for row in found.units] == [0, 1]


def test_intermediate_tables_where_only_they_were_kept(rows, tmp_path):
    tables = rows.index()
    units = [
        {"id": row["id"], "chunk": row["text"], "chunk_id": row["id"], "document_ids": ["d1"], "n_tokens": 3}
        for row in tables["text_units"]
    ]
    document = {
        "id": "d1",
        "text_units": ["u1", "u2"],
        "raw_content": tables["documents"][0]["text"],
        "title": "diary.txt",
    }
    found, _ = index(
        rows.write_parquet(tmp_path, {"create_base_text_units": units, "create_base_documents": [document]})
    )
    assert [row.text for row in found.units] == [row["chunk"] for row in units]
    assert found.documents[0].unit_ids == ("u1", "u2")
    assert found.shape == "0.1-0.4"


@pytest.mark.parametrize("base", [0, 1, 40])
def test_positions_are_those_of_the_table_as_it_was_written(rows, tmp_path, base):
    tables = rows.index()
    for row in tables["text_units"]:
        row["human_readable_id"] += base
    tables["text_units"].reverse()
    found, _ = index(rows.write_parquet(tmp_path, tables))
    assert {row.id: row.position for row in found.units} == {"u1": 0, "u2": 1}


def test_positions_without_numbers_are_those_found(rows, tmp_path):
    tables = rows.index()
    for row in tables["text_units"]:
        row["human_readable_id"] = 3
    tables["text_units"].reverse()
    found, _ = index(rows.write_parquet(tmp_path, tables))
    assert {row.id: row.position for row in found.units} == {"u1": 1, "u2": 0}
