"""``judge split`` on the citation desk, by a rule and by a model behind a real HTTP server, and the audit after it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.places import Place

sys.path.insert(0, str(Path(__file__).parents[1] / "scoring" / "judges"))
from chat_server import Answer, mark_in, said, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
WINDOW, RECEIPT = "Standard items may be returned within 30 days of delivery", "a receipt is required"
COMPOUND = f"{WINDOW}, and {RECEIPT}."
LINE = {"claim": COMPOUND, "parts": [WINDOW, RECEIPT]}
MINE = """
from lineage_scoring.judging import Judge, Reply, Verdict

class Yes(Judge):
    name, version = "yes", "1"

    def judge(self, requests):
        return [Reply(Verdict.SUPPORTED) for _ in requests]
"""


@pytest.fixture
def desk(run: Callable, place: Place, copies: Path) -> Callable:
    def make() -> None:
        assert run("init").code == 0
        assert run("record", str(EXAMPLES / "citation_desk.jsonl")).code == 0

    place.made(copies, "desk", make)
    return run


def claim_in(body: dict[str, Any]) -> str:
    mark, asked = mark_in(body), body["messages"][1]["content"]
    return str(asked.split(f"--- {mark} claim begins\n")[1].split(f"\n--- {mark} claim ends")[0])


def right(body: dict[str, Any], number: int) -> Answer:
    claim = claim_in(body)
    return said(json.dumps({"request": mark_in(body), "parts": LINE["parts"] if claim == COMPOUND else [claim]}))


def test_claims_are_split_by_a_model_once_and_the_audit_says_so(
    desk: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine.py").write_text(MINE)
    with serving(right) as chat:
        monkeypatch.setenv("LINEAGE_LLM_BASE_URL", chat.url)
        llm = ("judge", "split", "--by", "llm", "--set", "model=m", "--concurrency", "2", "--json")
        first = desk(*llm, "Joint support").json()
        assert (first["asked"], first["known"], first["kept"], first["failures"]) == (1, 0, 1, [])
        whole = desk(*llm, "--all").json()
        texts = list(map(claim_in, chat.calls))
        assert len(texts) == len(set(texts)) == 1 + whole["asked"]
        assert (desk(*llm, "--all").json()["asked"], len(chat.calls)) == (0, len(texts))
    assert desk("judge", "run", "--all", "--judge", "mine:Yes").code == 0
    told = desk("score", "Joint support", "--profile", "audit", "--judge", "yes")
    assert [line.strip() for line in told.out.splitlines()[1:]] == [
        f"C6 covered  {COMPOUND}", f"yes {WINDOW}", f"yes {RECEIPT}",
    ]  # fmt: skip
    splitter = first["splitter"]
    assert json.loads(splitter["configuration"])["model"] == "m"
    assert f"parts of 1 claims by llm@1{splitter['configuration']}" in told.err
    body = desk("score", "Joint support", "--profile", "audit", "--judge", "yes", "--json").json()
    assert body["split_by"] == [{**splitter, "claims": 1}]
    assert body["answers"][0]["claims"][0]["split_by"] == splitter


def test_a_claim_that_the_model_did_not_split_is_named(desk: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if claim_in(body) != COMPOUND:
            return right(body, number)
        return said(json.dumps({"request": mark_in(body), "parts": [WINDOW, "gifts are free"]}))

    with serving(answer) as chat:
        monkeypatch.setenv("LINEAGE_LLM_BASE_URL", chat.url)
        told = desk("judge", "split", "--all", "--by", "llm", "--set", "model=m", "--json")
    assert told.code == 7
    error = json.loads(told.err)["error"]
    (failed,) = error["requests"]
    assert json.loads(told.out)["failures"] == [failed]
    assert (failed["answer"], failed["label"], failed["statement"]) == ("Joint support", "C6", COMPOUND)
    assert failed["found"] == "free, gifts in the part 'gifts are free'"
    assert "Joint support C6: parts: expected only content words of the claim, found free, gifts" in error["message"]
    assert json.loads(told.out)["kept"] == 14


def test_interrupted_it_keeps_all_that_it_asked(
    desk: Callable, place: Place, interrupted: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(body: dict[str, Any], number: int) -> Answer:
        time.sleep(0.3)
        return right(body, number)

    command = ("judge", "split", "--all", "--by", "llm", "--set", "model=m")
    with serving(slow) as chat:
        monkeypatch.setenv("LINEAGE_LLM_BASE_URL", chat.url)
        told = interrupted(*command, stdin="", when=lambda: len(chat.calls) >= 3)
        assert told.code == 130, told.err
        before = set(map(claim_in, chat.calls))
        chat.answer = right
        after = desk(*command, "--json").json()
        texts = list(map(claim_in, chat.calls))
        assert 0 < after["asked"] == len(texts) - len(before)
        assert len(texts) == len(set(texts))


def test_a_caller_s_parts_are_kept_under_the_claim(desk: Callable, lines: Callable) -> None:
    Path("mine.py").write_text(MINE)
    rule = "rule@1: 6 texts asked, 15 claims kept, 0 were kept before\n"
    assert desk("judge", "split", "--all", "--by", "rule").out == rule
    score = ("score", "Joint support", "--profile", "audit", "--judge", "yes", "--json")
    file = lines("parts.jsonl", LINE, {"claim": "Another claim.", "parts": ["Another claim."]})
    assert desk("judge", "run", "--all", "--judge", "mine:Yes").code == 0
    assert [each["name"] for each in desk(*score).json()["split_by"]] == ["rule"]
    # Nobody judged the parts; they are kept all the same, and the next run of a judge asks about them.
    assert desk(*score, "--parts", file).code == 7
    assert desk("judge", "run", "Joint support", "--judge", "mine:Yes", "--json").json()["asked"] == 6
    given, kept = desk(*score, "--parts", file).json(), desk(*score).json()
    assert given == kept
    assert kept["split_by"] == [{"name": "caller", "version": "1", "configuration": "{}", "claims": 1}]
    (claim,) = kept["answers"][0]["claims"]
    assert [part["text"] for part in claim["parts"]] == LINE["parts"]
    told = desk(*score[:-1], "--parts", file)
    assert "parts.jsonl: 1 of 2 texts are no claim of these answers, such as: Another claim." in told.err


def test_whoever_splits_has_to_be_named(desk: Callable, monkeypatch: pytest.MonkeyPatch, lines: Callable) -> None:
    monkeypatch.delenv("LINEAGE_LLM_BASE_URL", raising=False)
    assert desk("judge", "split", "--all").code == 2
    assert desk("judge", "split", "--by", "rule").code == 2
    told = desk("judge", "split", "--all", "--by", "llm", "--set", "model=m")
    assert (told.code, "splitter llm: LINEAGE_LLM_BASE_URL" in told.err) == (6, True)
    blank = lines("parts.jsonl", {"claim": COMPOUND, "parts": [WINDOW, " "]})
    told = desk("score", "--all", "--profile", "audit", "--parts", blank)
    assert (told.code, "line 1: parts: expected" in told.err) == (6, True)


def test_standard_input_is_read_where_a_file_is_called_so(desk: Callable, pipe: Callable) -> None:
    for command in (("score", "--all", "--profile", "audit", "--parts", "-"), ("judge", "import", "-")):
        told = pipe(*command, stdin='\r\n{"claim": 1}\r\n')
        assert told.code == 6
        assert told.err.startswith("error: - line 2: ")
    told = desk("load", "nowhere.jsonl", "--json")
    assert told.code == 6
    assert told.error()["item"] == "nowhere.jsonl"
