"""Run by the race test: asks again and again whether answers are fresh, and says when one was that must not be.

A shared page tells which answer is affected now (its number from 1, 0 for none) and the turn; it is cleared before
the correction is undone. So an answer is called fresh wrongly if the page is the same before and after.
"""

import mmap
import sys
import time
from pathlib import Path

from lineage import LineageGraph

with (
    LineageGraph.open(sys.argv[1], read_only=True) as graph,
    Path(sys.argv[2]).open("r+b") as file,
    mmap.mmap(file.fileno(), 8) as page,
):
    print("ready", flush=True)
    polls, wrong = 0, []
    while (said := page[:8])[0] != 255:
        time.sleep(float(sys.argv[3]))
        if said[0]:
            status = graph.check(f"q{said[0] - 1}").status
            polls += 1
            if status == "fresh" and page[:8] == said:
                wrong.append(int.from_bytes(said[4:], "big"))
    print(polls, wrong, flush=True)
