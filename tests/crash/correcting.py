"""Run by the kill test: corrects the store named on the command line, in small steps, until it is done or killed."""

import sys

from worlds import URIS, edited

from lineage import LineageGraph

graph = LineageGraph.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
graph.correct({URIS[0]: edited(0)}, reason="killed", propagate=False)
graph.propagate(batch=2)
print("done", flush=True)
