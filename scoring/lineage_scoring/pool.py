"""Batches that are asked several at a time, each kept as soon as it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

from lineage_schema.errors import LineageError

Batch = TypeVar("Batch")
Answers = TypeVar("Answers")


def ask_all(
    batches: Iterable[Batch],
    ask: Callable[[Batch], Answers],
    keep: Callable[[Batch, Answers], None],
    *,
    concurrency: int = 1,
) -> None:
    """Asks batches, at most ``concurrency`` at a time in threads, and keeps each answer in the thread of the caller.

    Whatever stops it, an interrupt too, batches that are being asked are waited for and kept. Raises what ``ask`` and
    ``keep`` raise.
    """
    waiting = list(batches)[::-1]
    with ThreadPoolExecutor(max(concurrency, 1)) as pool:
        running: dict[Future[Answers], Batch] = {}

        def done(future: Future[Answers]) -> None:
            batch = running[future]
            keep(batch, future.result())
            del running[future]

        try:
            while waiting or running:
                while waiting and len(running) < max(concurrency, 1):
                    batch = waiting.pop()
                    running[pool.submit(ask, batch)] = batch
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    done(future)
        except BaseException:
            # They are paid for, and would be asked again. What stopped the run is what is told.
            for future in list(running):
                if not future.cancel():
                    with suppress(LineageError):
                        done(future)
            raise
