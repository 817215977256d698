"""Run by the kill test: registers, corrects, propagates, takes back and clears, in small steps, until it is killed."""

import itertools
import sys

from worlds import URIS, edited

from lineage import Input, LineageGraph, Node, NodeRef

graph = LineageGraph.open(sys.argv[1])
name = sys.argv[2]
run = graph.run("n", producer=name)
print("ready", flush=True)
sys.stdin.readline()
for turn in itertools.count():
    hot = NodeRef(kind="note", namespace="n", key=f"{turn % 3}-{turn % 4}")
    run.register(
        [Node(kind="late", namespace="n", key=f"{name}-{turn}", text=f"{name} {turn}", inputs=(Input(ref=hot),))]
    )
    done = graph.correct({URIS[turn % 8]: edited(turn)}, reason=name, propagate=False)
    graph.propagate(batch=4)
    if done.id is not None:
        graph.undo(done.id, propagate=False)
        graph.propagate(batch=4)
