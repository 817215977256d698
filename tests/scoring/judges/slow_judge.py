"""A judge that writes down what it is asked. As a program it judges the desk in the store named, until it is killed."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from lineage import LineageGraph
from lineage_scoring.asking import about_citations
from lineage_scoring.judging import Judge, Reply, Request, Verdict
from lineage_scoring.running import run


class Slow(Judge):
    name = "slow"
    version = "1"
    batch = 1

    def __init__(self, log: str, seconds: str = "0.1") -> None:
        self._log = Path(log)
        self._seconds = float(seconds)

    def judge(self, requests: Sequence[Request]) -> list[Reply]:
        with self._log.open("a", encoding="utf-8") as file:
            file.writelines(self.id.key(request) + "\n" for request in requests)
        time.sleep(self._seconds)
        return [Reply(Verdict.SUPPORTED) for _ in requests]


if __name__ == "__main__":
    with LineageGraph.open(sys.argv[1]) as graph:
        asked = about_citations(graph.cited(graph.answers()))
        run(Slow(*sys.argv[2:]), [each.request for each in asked], graph.judgments, concurrency=2)
