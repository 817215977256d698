"""``python -m benchmarks.propagating FILE [--bare]``: one propagation in a process of its own, as JSON.

With ``--bare`` the floor: the same nodes marked level by level in one narrow table.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from benchmarks.table import timed
from benchmarks.walks import PASSING
from lineage import LineageGraph
from lineage.stores.sqlite import connection as connections

LEVEL = f"""insert into bare(cause, node, severity, via) select 1, g.src, 2, g.via from (
    select e.src as src, max(m.node) as via from bare m
    cross join edge e on e.dst = m.node and e.role <= {PASSING}
    where m.seq > ? and m.seq <= ? group by e.src) g
    left join bare k on k.node = g.src and k.cause = 1 where k.seq is null"""


def peak() -> float:
    """The most memory that this process held, in MB."""
    try:
        # Not ru_maxrss: that may still tell of the process that started this one.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def bare(path: Path) -> tuple[float, int]:
    """Marks by the plainest means that know the result: seconds, and marks."""
    connection = connections.connect(path, read_only=False)
    connection.execute(
        "create table bare(seq integer primary key, cause integer not null, node integer not null,"
        " severity integer not null, via integer, unique (node, cause)) strict"
    )

    def mark() -> None:
        connection.execute("begin immediate")
        connection.execute("insert into bare(cause, node, severity) select 1, node, 2 from seed")
        low = 0
        while True:
            (high,) = connection.execute("select max(seq) from bare").fetchone()
            if high == low:
                break
            connection.execute(LEVEL, (low, high))
            low = high
        connection.execute("commit")

    seconds = timed(mark)
    (marks,) = connection.execute("select count(*) from bare").fetchone()
    connection.close()
    return seconds, marks


def ours(path: Path) -> tuple[float, int, int]:
    """What is pending, to its end: seconds, marks, steps."""
    with LineageGraph.open(f"sqlite:///{path}") as graph:
        steps: list[object] = []
        seconds = timed(lambda: graph.propagate(on_step=steps.append))
        counts = graph.store.read(lambda tx: tx.reading.counts())
        return seconds, counts["store"]["mark"], len(steps)


def main() -> None:
    path = Path(sys.argv[1])
    if "--bare" in sys.argv[2:]:
        seconds, marks = bare(path)
        print(json.dumps({"seconds": seconds, "marks": marks, "peak": peak()}))
    else:
        seconds, marks, steps = ours(path)
        print(json.dumps({"seconds": seconds, "marks": marks, "steps": steps, "peak": peak()}))


if __name__ == "__main__":
    main()
