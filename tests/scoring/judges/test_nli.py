"""The judge ``nli`` with a tiny model made here: labels, window and key are the model's; nothing is cut in silence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lineage_schema.errors import BadInput, MissingDependency
from lineage_scoring.judges import judge_named
from lineage_scoring.judging import Judge, Passage, Reply, Request, Verdict

WORDS = "[PAD] [UNK] [CLS] [SEP] returns take 30 days gifts are free".split()
STATEMENT, SOURCE = "returns take 30 days", Passage("gifts are free", "a file")
ASKED = Request(STATEMENT, (SOURCE,))


def replies(judge: Judge, *requests: Request) -> list[Reply]:
    return [reply for reply in judge.judge(requests) if isinstance(reply, Reply)]


def test_without_the_libraries_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependency, match="the judge 'nli' needs the extra 'nli'"):
        judge_named("nli", {"model": "m", "revision": "r"})


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """Makes a model with labels in a given order whose logits are those given, whatever it reads."""
    torch = pytest.importorskip("torch", reason="the extra 'nli' is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra 'nli' is not installed")

    def model(labels: list[str], logits: list[float] | None = None, tokens: int = 32) -> str:
        torch.manual_seed(1)
        (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n")
        tokenizer = transformers.BertTokenizerFast(
            vocab={word: n for n, word in enumerate(WORDS)}, model_max_length=tokens
        )
        config = transformers.BertConfig(
            vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
            max_position_embeddings=64, id2label=dict(enumerate(labels)), label2id={x: n for n, x in enumerate(labels)},
        )  # fmt: skip
        made = transformers.BertForSequenceClassification(config)
        if logits is not None:
            with torch.no_grad():
                made.classifier.weight.zero_()
                made.classifier.bias.copy_(torch.tensor(logits))
        folder = tmp_path / "tiny"
        made.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return str(folder)

    return model


@pytest.mark.parametrize(
    ("labels", "logits", "verdict"),
    [
        (["entailment", "neutral", "contradiction"], [2.0, 0.0, 0.0], Verdict.SUPPORTED),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], [2.0, 0.0, 0.0], Verdict.CONTRADICTED),
        (["contradiction", "entailment", "neutral"], [0.0, 0.0, 2.0], Verdict.NOT_SUPPORTED),
        (["entailment", "not_entailment"], [0.0, 2.0], Verdict.NOT_SUPPORTED),
    ],
)
def test_labels_are_read_in_the_model_s_own_order(made: Any, labels: list, logits: list, verdict: Verdict) -> None:
    (reply,) = replies(judge_named("nli", {"model": made(labels, logits), "revision": "r"}), ASKED)
    assert reply.verdict is verdict
    place = [label.lower() for label in labels].index("entailment")
    total = sum(2.718281828459045**each for each in logits)
    assert reply.score == pytest.approx(2.718281828459045 ** logits[place] / total)


def test_a_threshold_decides_and_is_in_the_key(made: Any) -> None:
    folder = made(["entailment", "neutral", "contradiction"], [1.0, 0.0, 0.0])
    keys = set()
    for threshold, verdict in (("", Verdict.SUPPORTED), ("0.5", Verdict.SUPPORTED), ("0.9", Verdict.NOT_SUPPORTED)):
        judge = judge_named("nli", {"model": folder, "revision": "r", "threshold": threshold})
        assert replies(judge, ASKED)[0].verdict is verdict
        keys.add(judge.id.key(ASKED))
    keys.add(judge_named("nli", {"model": folder, "revision": "s"}).id.key(ASKED))
    assert len(keys) == 4


def test_past_the_window_is_unresolved_and_the_rest_is_judged(made: Any) -> None:
    judge = judge_named("nli", {"model": made(["entailment", "neutral", "contradiction"], tokens=11), "revision": "r"})
    # [CLS] 3 words [SEP] 4 words [SEP] are 10 tokens; the longer one has 13.
    longer = Request(STATEMENT, (SOURCE, SOURCE))
    first, cut, last = replies(judge, ASKED, longer, ASKED)
    assert (cut.verdict, cut.cut) == (Verdict.UNRESOLVED, True)
    assert cut.reason == "13 tokens are more than the model's window of 11"
    assert not first.cut
    # Whatever else is in its batch, a request has the same verdict.
    (alone,) = replies(judge, ASKED)
    assert first.score == pytest.approx(alone.score) == last.score


def test_a_model_that_cannot_be_used_is_refused(made: Any, tmp_path: Path) -> None:
    settings = {"revision": "r"}
    with pytest.raises(BadInput, match="id2label: expected labels among entailment"):
        judge_named("nli", {**settings, "model": made(["LABEL_0", "LABEL_1", "LABEL_2"])})
    with pytest.raises(BadInput, match="a model that can be loaded"):
        judge_named("nli", {**settings, "model": str(tmp_path)})
    with pytest.raises(BadInput, match="model: expected the model's name"):
        judge_named("nli", {})
    with pytest.raises(BadInput, match="revision: expected the exact commit"):
        judge_named("nli", {"model": "m"})
    with pytest.raises(BadInput, match="a number from 0 to 1"):
        judge_named("nli", {**settings, "model": "m", "threshold": "2"})
