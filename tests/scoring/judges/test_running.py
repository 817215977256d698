"""A judging run keeps what is answered, asks nothing twice, and takes no failure for a verdict."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lineage import LineageGraph
from lineage_schema.errors import BadInput
from lineage_scoring.asking import about_citations
from lineage_scoring.judges.lexical import Lexical
from lineage_scoring.judging import Failure, Judge, Passage, Reply, Request, Verdict
from lineage_scoring.running import run

SCRIPT = Path(__file__).with_name("slow_judge.py")


class Told(Judge):
    """Answers as a function says."""

    name = "told"
    version = "1"
    batch = 3

    def __init__(self, answer: Callable[[Request], Reply | Failure], window: int | None = None) -> None:
        self.answer = answer
        self.window = window
        self.asked: list[Request] = []

    def judge(self, requests: Sequence[Request]) -> list[Reply | Failure]:
        self.asked += requests
        return [self.answer(request) for request in requests]


def requests(graph: LineageGraph) -> list[Request]:
    return [each.request for each in about_citations(graph.cited(graph.answers()))]


def yes(_: Request) -> Reply:
    return Reply(Verdict.SUPPORTED, 0.9, "so it says")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_each_question_is_asked_once(desk: LineageGraph, concurrency: int) -> None:
    wanted = requests(desk)
    judge = Told(yes)
    seen: list[tuple[int, int]] = []
    done = run(judge, wanted, desk.judgments, concurrency=concurrency, on_progress=lambda *at: seen.append(at))
    assert sorted(map(judge.id.key, judge.asked)) == sorted({judge.id.key(request) for request in wanted})
    assert (done.asked, done.kept, done.known, done.failures) == (len(judge.asked), len(judge.asked), 0, [])
    assert seen[-1] == (len(judge.asked), len(judge.asked))
    again = run(judge, wanted, desk.judgments)
    assert (again.asked, again.known) == (0, done.kept)
    (row,) = desk.judgments.find([judge.id.key(wanted[0])])[judge.id.key(wanted[0])]
    assert row.latency is not None


def test_a_failure_is_no_verdict_and_is_asked_again(desk: LineageGraph) -> None:
    wanted = requests(desk)
    broken = wanted[2]
    judge = Told(lambda request: Failure("no answer") if request == broken else yes(request))
    done = run(judge, wanted, desk.judgments)
    assert done.failures == [(broken, "no answer")]
    assert judge.id.key(broken) not in desk.judgments.find([judge.id.key(broken)])
    judge = Told(yes)
    assert run(judge, wanted, desk.judgments).asked == 1
    assert judge.asked == [broken]


def test_past_the_window_is_unresolved_and_not_asked(desk: LineageGraph) -> None:
    wanted = requests(desk)
    size = {len(each.statement) + sum(len(shown.text) for shown in each.passages): each for each in wanted}
    judge = Told(yes, window=max(size) - 1)
    done = run(judge, wanted, desk.judgments)
    assert done.cut == 1
    assert size[max(size)] not in judge.asked
    (row,) = desk.judgments.find([judge.id.key(size[max(size)])])[judge.id.key(size[max(size)])]
    assert (row.verdict, row.cut) == (Verdict.UNRESOLVED, True)


def test_a_judge_asked_again_that_says_otherwise_makes_a_conflict(desk: LineageGraph) -> None:
    wanted = requests(desk)[:1]
    run(Told(yes), wanted, desk.judgments)
    done = run(Told(lambda _: Reply(Verdict.NOT_SUPPORTED)), wanted, desk.judgments, again=True)
    assert done.conflicts == [Told(yes).id.key(wanted[0])]


def test_answers_in_another_form_are_refused(desk: LineageGraph) -> None:
    wanted = requests(desk)
    judge = Told(yes)
    judge.judge = lambda asked: [yes(asked[0])]  # type: ignore[method-assign, assignment]
    with pytest.raises(BadInput, match="replies: expected 3, one a request, found 1"):
        run(judge, wanted, desk.judgments)
    with pytest.raises(BadInput, match="the empty set is not asked about"):
        run(Told(yes), [Request("s", ())], desk.judgments)


@pytest.mark.crash
def test_killed_in_the_middle_it_asks_nothing_that_is_kept(desk: LineageGraph, tmp_path: Path) -> None:
    log = tmp_path / "asked"
    command = [sys.executable, str(SCRIPT), desk.url, str(log)]
    total = len(set(requests(desk)))
    child = subprocess.Popen(command)
    while not log.exists() or len(log.read_text().split()) < total // 2:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    first = log.read_text().split()
    kept = set(desk.judgments.find(first))
    assert 0 < len(kept) < total
    log.write_text("")
    subprocess.run(command, check=True)
    second = log.read_text().split()
    assert not kept & set(second)
    assert len(desk.judgments.find({*first, *second})) == total


def test_a_fault_in_one_batch_loses_no_other(desk: LineageGraph) -> None:
    wanted = requests(desk)
    meet = threading.Barrier(2)

    def answer(request: Request) -> Reply:
        if request in (wanted[0], wanted[3]):
            meet.wait(30)
        if request == wanted[3]:
            time.sleep(0.3)
        if request == wanted[0]:
            raise BadInput("judge told", "server", found="HTTP 401", expected="a key")
        return yes(request)

    judge = Told(answer)
    with pytest.raises(BadInput, match="HTTP 401"):
        run(judge, wanted, desk.judgments, concurrency=2)
    assert len(desk.judgments.find(list(map(judge.id.key, wanted[3:6])))) == 3


def test_interrupted_it_keeps_all_that_it_asked(desk: LineageGraph, tmp_path: Path) -> None:
    log = tmp_path / "asked"
    child = subprocess.Popen(
        [sys.executable, str(SCRIPT), desk.url, str(log), "0.5"],
        stderr=subprocess.DEVNULL,
        # A background job of a shell ignores the signal, and its children would too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not log.exists() or len(log.read_text().split()) < 4:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    assert child.wait(60) != 0
    asked = log.read_text().split()
    assert len(asked) < len(set(requests(desk)))
    assert set(desk.judgments.find(asked)) == set(asked)


def test_the_baseline_counts_words_and_does_not_gate() -> None:
    passage = Passage("Items return within 30 days.", "a file")
    judge = Lexical()
    whole, none, silent = judge.judge(
        [Request("Items return in 30 days.", (passage,)), Request("Gifts are free.", (passage,)), Request("It is.", ())]
    )
    assert (whole.verdict, whole.score) == (Verdict.SUPPORTED, 1.0)
    assert (none.verdict, none.score) == (Verdict.NOT_SUPPORTED, 0.0)
    assert silent.verdict is Verdict.NOT_SUPPORTED
    assert not judge.gates
    with pytest.raises(BadInput, match="a number from 0 to 1"):
        Lexical("2")
