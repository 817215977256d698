"""The shipped demo data: what its script makes, consistent with itself, and saying what the demo needs it to say."""

import csv
import json
import pickletools
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from lineage.demo import build, desk, files, tree
from lineage.demo.corpus import COMMUNITIES, ENTITIES, RELATIONSHIPS
from lineage.demo.tables import units
from lineage.importers.locate import locate
from lineage.importers.source_text import SourceText
from lineage_schema.identity import content_hash, key_text
from lineage_schema.records import RECORD, Answer, Citation, Claim, NodeRef, Record, Retrieved, Span, SpanRef

ROOT = Path(__file__).parent.parent.parent
SHIPPED = files.answers().parent
PAGES = {path.name: path.read_bytes().decode("utf-8") for path in files.handbook()}
ANSWERS = files.answers()
DESK = files.desk()


def rows(table: str) -> list[dict[str, str]]:
    with (files.graphrag() / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def records(path: Path) -> list[Record]:
    return [RECORD.validate_json(line) for line in path.read_bytes().splitlines()]


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
            prose = [line for line in text.splitlines() if line and not line.startswith("#")]
            assert 10 <= sum(line.count(".") - line.count(":00.") + line.count(":00.") for line in prose) <= 25

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
            assert [(one.method, one.spans) for one in found] == [
                ("exact", ((unit.start, unit.end),)) for unit in own
            ]

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
        strings: list[str] = []
        found = set()
        for opcode, argument, _ in pickletools.genops(files.raptor().read_bytes()):
            if opcode.name.endswith("BINUNICODE"):
                strings.append(argument)
            elif opcode.name == "BINGET" and argument == 0:
                strings.append("raptor.tree_structures")
            elif opcode.name in ("STACK_GLOBAL", "GLOBAL"):
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
        counts = Counter(record.type for record in records(ANSWERS))
        assert counts == {"run": 1, "answer": 4, "claim": 11, "citation": 17, "retrieved": 19, "finish": 1}

    def test_one_duplicate_one_unknown_marker_and_one_not_retrieved(self):
        retrieved: set[tuple[str, str]] = set()
        for record in records(ANSWERS):
            if isinstance(record, Retrieved):
                retrieved.add((record.answer.key, record.target.model_dump_json()))
        seen: Counter[tuple[str, str, str]] = Counter()
        unknown, outside = [], []
        for record in records(ANSWERS):
            if isinstance(record, Citation):
                answer, label = record.claim.answer.key, record.claim.label
                if record.target is None:
                    unknown.append((answer, record.marker))
                    continue
                target = record.target.model_dump_json()
                seen[answer, label, target] += 1
                if (answer, target) not in retrieved:
                    outside.append((answer, record.marker))
        assert unknown == [("shipping", "[9]")]
        assert outside == [("receipts", "[5]")]
        assert [(answer, label) for (answer, label, _), count in seen.items() if count > 1] == [("returns", "C3")]

    def test_what_is_cited_or_retrieved_is_in_the_indexes(self):
        known = {("entity", row["title"]) for row in rows("entities")}
        known |= {("relationship", key_text((row["source"], row["target"]))) for row in rows("relationships")}
        known |= {("chunk", key_text((unit.page, content_hash(unit.text), "1"))) for unit in units(PAGES)}
        for record in records(ANSWERS):
            target = getattr(record, "target", None)
            if isinstance(target, NodeRef) and target.kind in ("entity", "relationship", "chunk"):
                assert (target.kind, key_text(tuple(target.key) if isinstance(target.key, list) else target.key)) in known


class TestForms:
    @pytest.mark.parametrize("path", [ANSWERS, DESK], ids=["answers", "desk"])
    def test_markers_stand_where_they_are_said_to_stand(self, path):
        answers = {record.key: record.text for record in records(path) if isinstance(record, Answer)}
        markers: Counter[str] = Counter()
        for record in records(path):
            if isinstance(record, Citation):
                text = answers[record.claim.answer.key]
                assert text[record.marker_start : record.marker_end] == record.marker
                markers[record.claim.answer.key] += 1
        for key, text in answers.items():
            assert len(re.findall(r"\[\w+\]", text)) == markers[key]

    @pytest.mark.parametrize("path", [ANSWERS, DESK], ids=["answers", "desk"])
    def test_an_answer_without_its_markers_is_its_claims(self, path):
        claims: dict[str, list[str]] = {}
        for record in records(path):
            if isinstance(record, Claim):
                claims.setdefault(record.answer.key, []).append(record.text)
        for record in records(path):
            if isinstance(record, Answer):
                assert re.sub(r" (\[\w+\])+", "", record.text) == " ".join(claims[record.key])

    def test_quotes_of_derived_texts_equal_their_slices(self):
        texts = {row["description"] for row in rows("entities")} | {row["description"] for row in rows("relationships")}
        texts |= {row["full_content"] for row in rows("community_reports")}
        texts |= {unit.text for unit in units(PAGES)} | {summary.text for summary in tree.SUMMARIES}
        quoted = [record for record in records(ANSWERS) if isinstance(record, Citation) and record.quote]
        assert len(quoted) == 9
        for record in quoted:
            assert any(text[record.start : record.end] == record.quote for text in texts)

    def test_quotes_of_sources_equal_their_slices(self):
        sources = {**PAGES, **{f"desk/{name}": text for name, text in desk.SOURCES.items()}}
        checked = 0
        for record in [*records(ANSWERS), *records(DESK)]:
            ref = record if isinstance(record, Span) else getattr(record, "target", None)
            if isinstance(ref, SpanRef):
                assert sources[ref.uri][ref.start : ref.end] == ref.quote
                checked += 1
        assert checked > 40


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
        spans = {record.uri: record for record in records(DESK) if isinstance(record, Span)}
        assert (spans["desk/S2"].start, spans["desk/S2"].end) == (0, 48)
        assert spans["desk/S2"].quote == "A receipt is required for standard-item returns."
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
