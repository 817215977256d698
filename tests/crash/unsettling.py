"""Run by the lock tests: registers an answer on the hot chunk, and is killed between its two transactions."""

import os
import signal
import sys

from lineage import Answer, Citation, Claim, LineageGraph, NodeRef
from lineage.stores.neo4j.store import Neo4jStore


def killed(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


Neo4jStore._settle = killed  # type: ignore[method-assign, assignment]
graph = LineageGraph.open(sys.argv[1])
run = graph.run("n", producer="cut")
answer = {"namespace": "n", "key": "cut"}
run.register(
    [
        Answer(**answer, question="?", text="!"),
        Claim(answer=answer, ordinal=1, text="!"),
        Citation(
            claim={"answer": answer, "ordinal": 1},
            order=1,
            target=NodeRef(kind="chunk", namespace="n", key="c0"),
        ),
    ]
)
