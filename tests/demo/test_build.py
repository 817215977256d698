"""The shipped demo data: what its script makes, consistent with itself, and saying what the demo needs it to say."""

import csv
import json
import pickletools
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lineage.demo import build, desk, files, tree
from lineage.demo.corpus import COMMUNITIES, ENTITIES, RELATIONSHIPS
from lineage.demo.tables import units
from lineage.importers.locate import locate
from lineage.importers.source_text import SourceText
from lineage_schema.identity import content_hash, key_text
from lineage_schema.records import RECORD

ROOT = Path(__file__).parent.parent.parent
SHIPPED = files.answers().parent
PAGES = {path.name: path.read_bytes().decode("utf-8") for path in files.handbook()}
ANSWERS = files.answers()
DESK = files.desk()


def rows(table: str) -> list[dict[str, str]]:
    with (files.graphrag() / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def forms(path: Path, *types: str) -> list[dict[str, Any]]:
    """The recorded forms of a file, or those of some types."""
    every = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [form for form in every if not types or form["type"] in types]


def answer_of(form: dict[str, Any]) -> str:
    """The key of the answer that a claim, a citation or something retrieved belongs to."""
    key: str = (form["claim"] if form["type"] == "citation" else form)["answer"]["key"]
    return key


def is_passage(form: dict[str, Any]) -> bool:
    return "uri" in form.get("target", ())


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


class TestSameBytesAgain:
    def test_every_built_file_is_the_shipped_one(self):
        for name, content in build.contents().items():
            assert (SHIPPED / name).read_bytes() == content, f"python -m lineage.demo.build changes {name}"

    def test_nothing_is_shipped_that_the_script_does_not_make(self):
        folders = ("graphrag", "raptor", "desk")
        shipped = {f"{folder}/{path.name}" for folder in folders for path in (SHIPPED / folder).iterdir()}
        assert shipped | {"answers.jsonl"} == set(build.contents())

    def test_another_process_with_another_hash_seed_makes_the_same(self, tmp_path):
        subprocess.run(
            [sys.executable, "-m", "lineage.demo.build", str(tmp_path)],
            check=True,
            env={"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(filter(None, sys.path))},
        )
        made = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        assert made == build.contents()

    def test_the_examples_are_copies_of_the_shipped_desk(self):
        for path in (files.desk(), files.desk_judgments()):
            assert (ROOT / "examples" / path.name).read_bytes() == path.read_bytes()


class TestGraph:
    def test_counts(self):
        counts = {path.stem: len(rows(path.stem)) for path in files.graphrag().iterdir()}
        assert counts == {
            "documents": 5,
            "text_units": 19,
            "entities": 14,
            "relationships": 11,
            "covariates": 7,
            "communities": 3,
            "community_reports": 3,
        }

    def test_pages_have_ten_to_twenty_five_sentences(self):
        for text in PAGES.values():
            prose = [line for line in text.splitlines() if not line.startswith("#")]
            assert 10 <= sum(len(re.findall(r"\.(?= |$)", line)) for line in prose) <= 25

    def test_units_are_the_pages_without_the_blank_lines_between_them(self):
        cut = units(PAGES)
        assert [row["text"] for row in rows("text_units")] == [unit.text for unit in cut]
        for page, text in PAGES.items():
            own = [unit for unit in cut if unit.page == page]
            assert all(text[unit.start : unit.end] == unit.text for unit in own)
            assert "\n\n".join(unit.text for unit in own) + "\n" == text

    def test_the_importers_ladder_finds_each_unit_exactly(self):
        for page, text in PAGES.items():
            own = [unit for unit in units(PAGES) if unit.page == page]
            found = locate(SourceText(text), [unit.text for unit in own])
            assert [(one.method, one.spans) for one in found] == [("exact", ((unit.start, unit.end),)) for unit in own]

    def test_each_source_text_stands_once_in_its_unit(self):
        texts = {row["id"]: row["text"] for row in rows("text_units")}
        for row in rows("covariates"):
            assert texts[row["text_unit_id"]].count(row["source_text"]) == 1

    def test_every_name_that_is_used_exists(self):
        titles = {entity.title for entity in ENTITIES}
        assert len(titles) == len(ENTITIES)
        assert {end for one in RELATIONSHIPS for end in (one.source, one.target)} <= titles
        assert all(set(community.members) <= titles for community in COMMUNITIES)
        for row in rows("covariates"):
            assert {row["subject_id"], row["object_id"]} <= titles | {"NONE"}

    def test_every_unit_is_read_by_something_or_by_nothing_on_purpose(self):
        # Boilerplate and service notes from which an extractor took nothing.
        silent = {unit.name for unit in units(PAGES)} - {name for entity in ENTITIES for name in entity.units}
        assert silent == {
            "receipts.md#Business invoices",
            "returns.md#Condition",
            "returns.md#Returns",
            "shipping.md#Collection",
        }

    def test_what_reports_cite_exists(self):
        sizes = {
            "Entities": len(ENTITIES),
            "Relationships": len(RELATIONSHIPS),
            "Claims": len(rows("covariates")),
            "Reports": len(COMMUNITIES),
            "Sources": len(rows("text_units")),
        }
        for row in rows("community_reports"):
            groups = re.findall(r"\[Data: ([^\]]+)\]", row["full_content"])
            assert groups
            for group in groups:
                for dataset, ids in re.findall(r"(\w+) \(([^)]+)\)", group):
                    assert all(int(number) < sizes[dataset] for number in ids.split(", ")), group

    def test_one_relationship_holds_only_with_its_qualifier(self):
        assert [(one.source, one.target) for one in RELATIONSHIPS if "unless" in one.description] == [
            ("CLEARANCE ITEM", "REFUND")
        ]


class TestTree:
    def test_its_only_globals_are_raptors(self):
        memo: list[Any] = []
        strings: list[Any] = []
        found = set()
        for opcode, argument, _ in pickletools.genops(files.raptor().read_bytes()):
            if opcode.name == "MEMOIZE":
                memo.append(strings[-1] if strings else None)
            elif opcode.name.endswith("BINUNICODE"):
                strings.append(argument)
            elif opcode.name == "BINGET" and argument is not None:
                strings.append(memo[argument])
            elif opcode.name in ("STACK_GLOBAL", "GLOBAL", "INST"):
                found.add(tuple(strings[-2:]))
        assert found == {("raptor.tree_structures", "Tree"), ("raptor.tree_structures", "Node")}

    def test_counts(self):
        assert len(tree.leaves(PAGES)) == 9
        assert Counter(summary.layer for summary in tree.SUMMARIES) == {1: 2, 2: 1}

    def test_leaves_are_slices_of_their_pages(self):
        for leaf in tree.leaves(PAGES):
            assert PAGES[leaf.page][leaf.start : leaf.end] == leaf.text

    def test_the_importers_ladder_finds_each_leaf_exactly_in_the_joined_pages(self):
        joined = "\n\n".join(path.read_bytes().decode("utf-8") for path in files.raptor_sources())
        found = locate(SourceText(joined), [leaf.text for leaf in tree.leaves(PAGES)])
        assert [one.method for one in found] == ["exact"] * 9

    def test_one_summary_says_a_number_that_nothing_under_it_says(self):
        texts = {leaf.index: leaf.text for leaf in tree.leaves(PAGES)}
        texts |= {summary.index: summary.text for summary in tree.SUMMARIES}
        drifted = {
            summary.index: numbers(summary.text) - {n for child in summary.children for n in numbers(texts[child])}
            for summary in tree.SUMMARIES
        }
        assert {index: new for index, new in drifted.items() if new} == {tree.DRIFTED: {"21"}}
        assert "21" not in numbers(" ".join(PAGES.values()))


class TestAnswers:
    def test_counts(self):
        counts = Counter(form["type"] for form in forms(ANSWERS))
        assert counts == {"run": 1, "answer": 4, "claim": 11, "citation": 18, "retrieved": 19, "finish": 1}

    def test_one_duplicate_one_unknown_marker_and_one_not_retrieved(self):
        retrieved = [(answer_of(form), form["target"]) for form in forms(ANSWERS, "retrieved")]
        cited = forms(ANSWERS, "citation")
        assert [(answer_of(form), form["marker"]) for form in cited if "target" not in form] == [("shipping", "[9]")]
        known = [form for form in cited if "target" in form]
        outside = [form for form in known if (answer_of(form), form["target"]) not in retrieved]
        assert [(answer_of(form), form["marker"]) for form in outside] == [("receipts", "[5]")]
        seen = Counter((answer_of(form), form["claim"]["label"], json.dumps(form["target"])) for form in known)
        assert [name[:2] for name, count in seen.items() if count > 1] == [("returns", "C3")]

    def test_what_is_cited_or_retrieved_is_in_the_indexes(self):
        made = {("entity", row["title"]) for row in rows("entities")}
        made |= {("relationship", key_text((row["source"], row["target"]))) for row in rows("relationships")}
        made |= {("chunk", key_text((unit.page, content_hash(unit.text), "1"))) for unit in units(PAGES)}
        for form in forms(ANSWERS, "citation", "retrieved"):
            target = form.get("target", {})
            if target.get("kind") in ("entity", "relationship", "chunk"):
                key = target["key"]
                assert (target["kind"], key if isinstance(key, str) else key_text(tuple(key))) in made


@pytest.mark.parametrize("path", [ANSWERS, DESK], ids=["answers", "desk"])
class TestForms:
    def test_every_line_is_a_recorded_form(self, path):
        for line in path.read_bytes().splitlines():
            RECORD.validate_json(line)

    def test_markers_stand_where_they_are_said_to_stand(self, path):
        texts = {form["key"]: form["text"] for form in forms(path, "answer")}
        for form in forms(path, "citation"):
            assert texts[answer_of(form)][form["marker_start"] : form["marker_end"]] == form["marker"]
        markers = Counter(answer_of(form) for form in forms(path, "citation"))
        assert {key: len(re.findall(r"\[\w+\]", text)) for key, text in texts.items()} == markers

    def test_an_answer_without_its_markers_is_its_claims(self, path):
        claims: dict[str, list[str]] = {}
        for form in forms(path, "claim"):
            claims.setdefault(answer_of(form), []).append(form["text"])
        for form in forms(path, "answer"):
            assert re.sub(r" (\[\w+\])+", "", form["text"]) == " ".join(claims[form["key"]])


class TestQuotes:
    def test_of_derived_texts_equal_their_slices(self):
        texts = {row["description"] for row in rows("entities")} | {row["description"] for row in rows("relationships")}
        texts |= {row["full_content"] for row in rows("community_reports")}
        texts |= {unit.text for unit in units(PAGES)} | {summary.text for summary in tree.SUMMARIES}
        quoted = [form for form in forms(ANSWERS, "citation") if "quote" in form]
        assert len(quoted) == 9
        for form in quoted:
            assert any(text[form["start"] : form["end"]] == form["quote"] for text in texts)

    def test_of_sources_equal_their_slices(self):
        sources = {**PAGES, **{f"desk/{name}": text for name, text in desk.SOURCES.items()}}
        every = [*forms(ANSWERS), *forms(DESK)]
        passages = [form for form in every if form["type"] == "span"]
        passages += [form["target"] for form in every if is_passage(form)]
        assert len(passages) > 40
        for passage in passages:
            assert sources[passage["uri"]][passage["start"] : passage["end"]] == passage["quote"]


class TestCorrection:
    def test_it_changes_one_sentence_of_one_page(self):
        correction = files.correction()
        text = PAGES[correction.uri]
        assert text.count(correction.old) == 1
        assert correction.new not in text
        changed = [
            (a, b)
            for a, b in zip(
                re.split(r"(?<=\.)\s", text),
                re.split(r"(?<=\.)\s", text.replace(correction.old, correction.new)),
                strict=True,
            )
            if a != b
        ]
        assert len(changed) == 1
        assert numbers(changed[0][0]) != numbers(changed[0][1])


class TestDesk:
    def test_the_text_that_the_lesson_gives_is_exact(self):
        spans = {form["uri"]: form for form in forms(DESK, "span")}
        assert (spans["desk/S2"]["start"], spans["desk/S2"]["end"]) == (0, 48)
        assert spans["desk/S2"]["quote"] == "A receipt is required for standard-item returns."
        assert desk.STATEMENTS["C1"] == "Standard items may be returned within 30 days of delivery."

    def test_verdicts_by_alces_rule(self):
        verdicts = {}
        for line in files.desk_judgments().read_bytes().splitlines():
            row = json.loads(line)
            assert set(row) == {"statement", "passages", "verdict", "reason"}
            key = row["statement"], tuple(row["passages"])
            assert key not in verdicts
            verdicts[key] = row["verdict"]
        assert set(verdicts.values()) == {"supported", "not_supported", "contradicted"}

        def supports(statement: str, passages: tuple[str, ...]) -> bool:
            return bool(passages) and verdicts[statement, passages] == "supported"

        def score(cited: dict[str, tuple[str, ...]]) -> tuple[int, int, int, int]:
            recall = precise = total = 0
            for label, names in cited.items():
                text = desk.STATEMENTS[label]
                total += len(names)
                # Every question is asked, also those whose answer would not count.
                whole = supports(text, names)
                alone = [supports(text, (name,)) for name in names]
                without = [supports(text, tuple(other for other in names if other != name)) for name in names]
                recall += whole
                precise += sum(whole and (a or not w) for a, w in zip(alone, without, strict=True))
            return recall, len(cited), precise, total

        assert {key: score(cited) for key, cited in desk.ANSWERS.items()} == {
            "Original": (2, 4, 2, 3),
            "Repaired": (4, 4, 4, 4),
            "Padded": (4, 4, 4, 6),
            "Joint support": (1, 1, 2, 2),
            "Two full supports": (1, 1, 2, 2),
            "Overbroad claim": (0, 1, 0, 2),
        }
        assert score({**desk.ANSWERS["Padded"], "C1": ("S1", "S6")}) == (4, 4, 5, 5)
        assert score({**desk.ANSWERS["Padded"], "C1": ("S2",)}) == (3, 4, 3, 4)

    def test_the_context_supports_what_the_original_failed_to_cite(self):
        rows = [json.loads(line) for line in files.desk_judgments().read_bytes().splitlines()]
        supported = {(row["statement"], *row["passages"]) for row in rows if row["verdict"] == "supported"}
        everything = tuple(desk.SOURCES)
        assert {(desk.STATEMENTS[label], *everything) for label in ("C1", "C3")} <= supported
        assert {(desk.STATEMENTS["C1"], "S1"), (desk.STATEMENTS["C3"], "S3")} <= supported
