"""``judge`` and ``score`` on the citation desk, as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.places import Place

EXAMPLES = Path(__file__).parents[2] / "examples"
MINE = """
from lineage_scoring.judging import Judge, Reply, Verdict

class Yes(Judge):
    name, version = "yes", "1"

    def judge(self, requests):
        return [Reply(Verdict.SUPPORTED) for _ in requests]
"""


@pytest.fixture
def recorded(run: Callable) -> Callable[[], None]:
    def make() -> None:
        assert run("init").code == 0
        assert run("record", str(EXAMPLES / "citation_desk.jsonl")).code == 0

    return make


@pytest.fixture
def desk(run: Callable, place: Place, copies: Path, recorded: Callable[[], None]) -> Callable:
    place.made(copies, "desk", recorded)
    return run


@pytest.fixture
def judged(run: Callable, place: Place, copies: Path, recorded: Callable[[], None]) -> Callable:
    def make() -> None:
        recorded()
        told = run("judge", "import", str(EXAMPLES / "citation_desk_judgments.jsonl"), "--namespace", "desk")
        assert told.out == "49 kept, 0 were kept before, as recorded@1\n"

    place.made(copies, "judged", make)
    return run


def test_scores_are_the_lesson_s(judged: Callable) -> None:
    lines = [line for line in judged("score", "--all").out.splitlines() if not line.startswith(" ")]
    assert lines == [
        "Joint support: recall 1/1; precision 2/2",
        "Original: recall 2/4; precision 2/3",
        "Overbroad claim: recall 0/1; precision 0/2",
        "Padded: recall 4/4; precision 4/6",
        "Repaired: recall 4/4; precision 4/4",
        "Two full supports: recall 1/1; precision 2/2",
        "recall: micro 12/15, macro 0.750 over 6 answers",
        "precision: micro 14/19, macro 0.722 over 6 answers",
    ]
    first, _, third = map(json.loads, judged("score", "Original", "--claim", "C1", "--format", "desk").out.splitlines())
    assert list(first) == ["statementId", "citations", "citedSetSupports", "citationChecks"]
    assert third["answerPrecision"] == {"numerator": 2, "denominator": 3, "value": 2 / 3}
    body = judged("score", "Original", "--json").json()
    assert (body["profile"], body["answers"][0]["profile"]) == ("desk", "desk")
    assert "does not show that the model read it" in body["caveat"]
    assert len(judged("score", "Original", "--format", "csv").out.splitlines()) == 5


def test_without_verdicts_all_that_are_missing_are_listed(desk: Callable) -> None:
    told = desk("score", "Original", "--json")
    assert told.code == 7
    error = told.error()
    assert error["code"] == "missing_judgment"
    assert [(each["claim"], each["purpose"], each["passages"]) for each in error["requests"]] == [
        ("C1", "full", ["S2"]),
        ("C2", "full", ["S2"]),
        ("C4", "full", ["S4"]),
    ]


def test_requests_go_out_and_verdicts_come_in(desk: Callable, here: Path) -> None:
    assert desk("judge", "export", "Original", "-o", "requests.jsonl").code == 0
    lines = [json.loads(line) for line in Path("requests.jsonl").read_text().splitlines()]
    for line in lines:
        line["verdict"] = "supported" if line["passages"][0]["name"] == "S4" else "not_supported"
        del line["passages"]
    Path("verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert desk("judge", "import", "verdicts.jsonl", "--by", "ann", "--json").json()["new"] == 3
    assert desk("score", "Original").out.startswith("Original: recall 1/4; precision 1/3\n")
    # What differs is kept beside it, and somebody has to decide.
    lines[0]["verdict"] = "supported"
    Path("verdicts.jsonl").write_text(json.dumps(lines[0]) + "\n")
    told = desk("judge", "import", "verdicts.jsonl")
    assert told.code == 6
    key = told.err.split("kept: ")[1].split()[0]
    assert desk("score", "Original").code == 7
    assert len(desk("judge", "conflicts", "--json").json()) == 2
    assert desk("judge", "resolve", key[:10], "--verdict", "supported", "--reason", "read again").code == 0
    assert desk("score", "Original").out.startswith("Original: recall 2/4")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"request": "q1:00", "verdict": "supported"}, "line 1: request: expected the id of an exported request"),
        ({"statement": "s", "passages": ["S99"], "verdict": "supported"}, "line 1: passages: expected one of S1, S2"),
        ({"statement": "s", "passages": ["S1"], "verdict": "yes"}, "line 1: verdict: expected one of supported"),
        ({"statement": "s", "passages": [], "verdict": "supported"}, "line 1: passages: expected at least one"),
        ({"statement": "s", "passages": ["S1"], "verdict": "supported", "score": 2}, "line 1: score: expected"),
        ({"statement": "s", "passages": ["S1"], "verdict": "supported", "sure": 1}, "line 1: sure: expected only"),
    ],
)
def test_a_line_with_a_fault_is_named_and_nothing_is_kept(desk: Callable, line: dict, message: str) -> None:
    good = {"statement": "s", "passages": ["S1"], "verdict": "supported"}
    Path("verdicts.jsonl").write_text(json.dumps(line) + "\n" + json.dumps(good) + "\n")
    told = desk("judge", "import", "verdicts.jsonl")
    assert told.code == 6
    assert message in told.err
    assert desk("judge", "list").out == ""


def test_judges_are_run_by_name_also_one_s_own(desk: Callable) -> None:
    Path("mine.py").write_text(MINE)
    assert desk("judge", "run", "--all", "--judge", "mine:Yes", "--json").json()["kept"] == 18
    assert desk("judge", "run", "--all", "--judge", "mine:Yes", "--json").json()["asked"] == 0
    assert desk("score", "Padded", "--judge", "yes").out.startswith("Padded: recall 4/4; precision 6/6\n")
    assert desk("judge", "run", "Original", "--judge", "lexical", "--set", "threshold=0.5").code == 0
    assert desk("judge", "run", "Original", "--judge", "nobody").code == 6
    assert "lexical@1  3 judgments" in desk("judge", "list").out


def test_a_kept_score_is_of_its_time(judged: Callable) -> None:
    assert judged("score", "Repaired", "--keep").code == 0
    correction = ["correct", "desk/S1", "--replace", "30 days", "14 days", "--reason", "policy"]
    assert judged(*correction).code == 0
    told = judged("score", "Repaired", "--json")
    assert told.code == 7
    assert [each["why"] for each in told.error()["requests"]] == ["changed"]


def test_stale_claims_are_judged_on_the_new_text(judged: Callable) -> None:
    change = ["--replace", "30 days, counted", "exactly 30 days, counted", "--reason", "wording"]
    assert judged("correct", "desk/S1", *change).code == 0
    assert judged("check", "Repaired").code == 1
    # Nobody has judged the new text yet.
    told = judged("reverify", "last", "--json")
    assert told.code == 7
    assert {each["purpose"] for each in told.error()["requests"]} == {"reverify"}
    assert judged("judge", "export", "--stale", "-o", "stale.jsonl").code == 0
    lines = [json.loads(line) for line in Path("stale.jsonl").read_text().splitlines()]
    asked = [line for line in lines if len(line["passages"]) == 1]
    assert [line["passages"][0]["text"] for line in asked] == [
        "Standard items can be sent back for exactly 30 days, counted from the day of delivery."
    ]
    for line in lines:
        line["verdict"] = "supported" if line in asked else "not_supported"
        del line["passages"]
    Path("verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert judged("judge", "import", "verdicts.jsonl", "--by", "ann").code == 0
    found = judged("reverify", "last", "--json").json()
    assert {each["word"] for each in found} == {"supported", "not_supported"}
    # Its claim is clear; what remains is that its context had the old text.
    assert judged("check", "Repaired").out.startswith("review")
    assert judged("check", "Padded").code == 1
    told = judged("reverify", "--judge", "lexical")
    assert told.code == 3


def test_a_gate_asks_for_a_calibration(judged: Callable) -> None:
    assert judged("score", "Original", "--gate").code == 2
    told = judged("score", "Original", "--gate", "--kappa", "0.6")
    assert told.code == 7
    assert "was never calibrated" in told.err
    assert judged("judge", "run", "Original", "--judge", "lexical").code == 0
    body = judged("calibrate", "--labels", "builtin", "--judge", "lexical", "--seed", "1", "--json").json()
    assert (body["seed"], body["examples"]) == (1, 40)
    told = judged("score", "Original", "--judge", "lexical", "--gate", "--kappa", "-1")
    assert told.code == 7
    assert "is a baseline" in told.err
    assert "kappa" in judged("calibrate", "--labels", "builtin", "--judge", "lexical").out


def test_an_audit_counts_parts(judged: Callable) -> None:
    out = judged("score", "Original", "--profile", "audit").out
    assert out.startswith("Original: coverage 2/4; link precision 2/3\n")
    claim = "Standard items may be returned within 30 days of delivery, and a receipt is required."
    parts = ["Standard items may be returned within 30 days of delivery.", "A receipt is required."]
    Path("parts.jsonl").write_text(json.dumps({"claim": claim, "parts": parts}) + "\n")
    told = judged("score", "Joint support", "--profile", "audit", "--parts", "parts.jsonl", "--json")
    assert told.code == 7
    missing = {tuple(each["passages"]) for each in told.error()["requests"]}
    assert missing == {("S1",), ("S2",), ("S1", "S2")}


def test_alce_s_items_are_scored_from_kept_verdicts(desk: Callable) -> None:
    Path("mine.py").write_text(MINE)
    docs = [{"title": "T1", "text": "P1"}, {"title": "T2", "text": "P2"}]
    items = [{"question": "?", "output": "It is so [1][2]. Hello.\nA second line [1].", "docs": docs}]
    Path("items.json").write_text(json.dumps({"data": items}))
    told = desk("score", "--profile", "alce", "--items", "items.json", "--json")
    assert told.code == 7
    assert [each["statement"] for each in told.error()["requests"]] == ["It is so."]
    assert desk("judge", "run", "--items", "items.json", "--judge", "mine:Yes", "--json").json()["kept"] == 3
    body = desk("score", "--profile", "alce", "--items", "items.json", "--judge", "yes", "--json").json()
    assert (body["profile"], body["citation_rec"], body["citation_prec"]) == ("alce", 50.0, 100.0)
    assert desk("score", "--items", "items.json").code == 2


def _completion(call: dict, content: str | None = None, **response: object) -> dict:
    """A line of a batch's output: the answer bears the mark that the call asks for."""
    mark = call["body"]["response_format"]["json_schema"]["schema"]["properties"]["request"]["enum"][0]
    right = {"request": mark, "verdict": "supported", "score": 1, "reason": "Passage 1 says so."}
    choice = {"finish_reason": "stop", "message": {"content": json.dumps(right) if content is None else content}}
    answer = {"status_code": 200, "request_id": "r", "body": {"choices": [choice]}, **response}
    return {"id": "b", "custom_id": call["custom_id"], "response": answer, "error": None}


def test_a_batch_goes_out_and_comes_in(desk: Callable, lines: Callable) -> None:
    assert desk("judge", "export", "Original", "--openai-batch", "m", "-o", "calls.jsonl").code == 0
    calls = [json.loads(line) for line in Path("calls.jsonl").read_text().splitlines()]
    assert {(call["method"], call["url"], call["body"]["model"]) for call in calls} == {
        ("POST", "/v1/chat/completions", "m")
    }
    good, echo, down = calls
    told = desk(
        "judge", "import", "--openai-batch", "m",
        lines(
            "output.jsonl",
            _completion(good),
            _completion(echo, '{"verdict": "supported"}'),
            _completion(down, status_code=500),
        ),
        "--json",
    )  # fmt: skip
    assert told.code == 7
    # What failed is listed with its reason, and asked again by the next export; what came is kept.
    failed = json.loads(told.err)["error"]["requests"]
    assert [each["request"] for each in failed] == [call["custom_id"].split(".")[0] for call in (echo, down)]
    assert json.loads(told.out)["failures"] == failed
    assert 'llm@1  1 judgments  {"max_tokens":600,"model":"m",' in desk("judge", "list").out
    assert desk("judge", "import", "--openai-batch", "m", lines("again.jsonl", _completion(good))).out.startswith(
        "0 kept, 1 were kept before, as llm@1"
    )


def test_a_batch_of_another_model_or_question_is_refused(desk: Callable, lines: Callable) -> None:
    exported = desk("judge", "export", "Original", "--openai-batch", "m").out.splitlines()
    call = json.loads(exported[0])
    output = lines("output.jsonl", _completion(call))
    other = {**_completion(call), "custom_id": "q1:00.m.00"}
    for arguments, message in (
        (("--openai-batch", "other", output), "line 1: custom_id: expected a call to this model with this prompt"),
        (("--openai-batch", "m", lines("o.jsonl", _completion(call), other)), "line 2: custom_id: expected that of"),
        (("--openai-batch", "m", lines("r.jsonl", call)), "line 1: response: expected status_code and"),
        ((output,), "line 1: custom_id: expected --openai-batch MODEL"),
    ):
        told = desk("judge", "import", *arguments)
        assert told.code == 6
        assert message in told.err
    assert desk("judge", "import", "--openai-batch", "m", "--by", "ann", output).code == 2
    assert desk("judge", "list").out == ""
