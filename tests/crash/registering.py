"""Run by the race test: registers dependents of hot nodes of so many layers until its standard input ends."""

import random
import select
import sys

from lineage import Input, LineageGraph, Node, NodeRef

graph = LineageGraph.open(sys.argv[1])
name, layers, pause = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
chance = random.Random(name)
run = graph.run("n", producer=name)
print("ready", flush=True)
number = 0
while not select.select([sys.stdin], [], [], pause)[0]:
    number += 1
    hot = NodeRef(kind="note", namespace="n", key=f"{chance.randrange(layers)}-{chance.randrange(4)}")
    records = [
        Node(kind="late", namespace="n", key=f"{name}-{number}", text=f"{name} {number}", inputs=(Input(ref=hot),))
    ]
    if number % 5 == 0:
        # A node that exists is derived anew, from another input.
        other = NodeRef(kind="late", namespace="n", key=f"{name}-{chance.randrange(1, number)}")
        records.append(Node(kind="again", namespace="n", key=name, text="again", inputs=(Input(ref=other),)))
        run = graph.run("n", producer=name)
    run.register(records)
