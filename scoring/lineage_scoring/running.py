"""A judging run: asks a judge what is not kept yet, and keeps each batch as soon as it is answered.

So a run that was cut goes on where it was: what is kept is not asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from lineage.judgments import Judgments
from lineage_schema.errors import BadInput
from lineage_scoring.judging import Failure, Judge, Judgment, Reply, Request, Verdict
from lineage_scoring.pool import ask_all


@dataclass(slots=True)
class Outcome:
    """What a run did. ``known`` were kept before; ``failures`` have no verdict, and are asked again by the next run.

    ``cut`` counts requests past the judge's window: they are unresolved. ``conflicts`` are keys whose verdicts differ.
    """

    asked: int = 0
    known: int = 0
    kept: int = 0
    cut: int = 0
    failures: list[tuple[Request, str]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def run(
    judge: Judge,
    requests: Iterable[Request],
    judgments: Judgments,
    *,
    concurrency: int = 1,
    again: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Asks ``judge`` each of the requests once, at most ``concurrency`` batches at a time.

    ``again`` also asks what is kept: a verdict that differs is kept beside the other. ``on_progress`` gets what is
    done and the total. Whatever stops the run, batches that are being judged are waited for and kept. Raises
    :class:`BadInput` for a request without passages, which is never asked, and for a judge that answers in another form
    than :meth:`Judge.judge` says.
    """
    wanted = {judge.id.key(request): request for request in requests}
    for request in wanted.values():
        if not request.passages:
            raise BadInput("judging", "passages", found=[], expected="a passage: the empty set is not asked about")
    outcome = Outcome()
    held = {} if again else judgments.find(list(wanted))
    outcome.known = len(held)
    open_ = [request for key, request in wanted.items() if key not in held]
    tell = on_progress or (lambda done, total: None)
    past = [request for request in open_ if _past_window(judge, request)]
    if past:
        reason = f"the text is longer than the judge's window of {judge.window} code points"
        reply = Reply(Verdict.UNRESOLVED, reason=reason, cut=True)
        _keep(judge, past, [reply] * len(past), judgments, outcome)
        open_ = [request for request in open_ if not _past_window(judge, request)]
    total, done = len(wanted), len(wanted) - len(open_)
    tell(done, total)

    def keep(batch: list[Request], replies: list[Reply | Failure]) -> None:
        nonlocal done
        _keep(judge, batch, replies, judgments, outcome)
        outcome.asked += len(batch)
        done += len(batch)
        tell(done, total)

    batches = [open_[begin : begin + judge.batch] for begin in range(0, len(open_), judge.batch)]
    ask_all(batches, lambda batch: _asked(judge, batch), keep, concurrency=concurrency)
    return outcome


def _past_window(judge: Judge, request: Request) -> bool:
    size = len(request.statement) + sum(len(passage.text) for passage in request.passages)
    return judge.window is not None and size > judge.window


def _asked(judge: Judge, batch: Sequence[Request]) -> list[Reply | Failure]:
    began = time.perf_counter_ns()
    replies = judge.judge(batch)
    each = (time.perf_counter_ns() - began) // 1000 // len(batch)
    if len(replies) != len(batch):
        raise BadInput(f"judge {judge.name}", "replies", found=len(replies), expected=f"{len(batch)}, one a request")
    return [
        replace(reply, latency=each) if isinstance(reply, Reply) and reply.latency is None else reply
        for reply in replies
    ]


def _keep(
    judge: Judge,
    requests: Sequence[Request],
    replies: Sequence[Reply | Failure],
    judgments: Judgments,
    outcome: Outcome,
) -> None:
    rows = []
    for request, reply in zip(requests, replies, strict=True):
        if isinstance(reply, Failure):
            outcome.failures.append((request, reply.reason))
            continue
        if not isinstance(reply, Reply):
            raise BadInput(f"judge {judge.name}", "reply", found=reply, expected="a Reply or a Failure")
        outcome.cut += reply.cut
        rows.append(
            Judgment.of(
                request, judge.id, Verdict(reply.verdict), score=reply.score, reason=reply.reason,
                latency=reply.latency, cut=reply.cut,
            )
        )  # fmt: skip
    kept = judgments.keep(rows)
    outcome.kept += kept.new
    outcome.conflicts += kept.conflicts
