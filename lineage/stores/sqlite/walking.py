"""Walks over edges in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from lineage.stores.base import EdgeView, Walk
from lineage.stores.sqlite.codes import (
    LAST_PASSING,
    ROLE_WORDS,
    Codes,
    chunks,
    id_of,
    marks,
    origins_of,
)

SHORT = 128
"""Nodes up to which one recursive statement is quicker than a statement a level."""


class Walking:
    """Every walk visits a node once and never enumerates paths."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes

    def reach(self, ids: Collection[str], *, up: bool, passing: bool = True, limit: int | None = None) -> list[str]:
        """The ids of all nodes that the walk reaches, start included, nearest first.

        ``up`` goes to dependents. ``passing`` keeps to the roles over which marks pass.
        """
        rows = list(self._codes.rows(ids).values())
        if limit is None and len(rows) == 1:
            short = self._connection.execute(
                f"""{_recursive(up, passing)} select n.hash from r cross join node n on n.id = r.n limit {SHORT}""",
                rows,
            ).fetchall()
            if len(short) < SHORT:
                return [id_of(digest) for (digest,) in short]
        reached = self._levels(rows, up=up, passing=passing, limit=limit)
        names = self._codes.ids(reached)
        return [names[row] for row in reached]

    def count_reach(self, ids: Collection[str], *, up: bool) -> int:
        """How many nodes the walk over passing roles reaches, start included."""
        return len(self._reach(list(self._codes.rows(ids).values()), up=up, passing=True, limit=None))

    def _reach(self, start: Sequence[int], *, up: bool, passing: bool, limit: int | None) -> list[int]:
        if limit is None and len(start) == 1:
            # Most walks are short, and then one recursive statement is quickest. A long one is begun anew.
            statement = f"{_recursive(up, passing)} select n from r limit {SHORT}"
            reached = [row for (row,) in self._connection.execute(statement, list(start))]
            if len(reached) < SHORT:
                return reached
        return self._levels(start, up=up, passing=passing, limit=limit)

    def _levels(self, start: Sequence[int], *, up: bool, passing: bool, limit: int | None) -> list[int]:
        here, there = ("dst", "src") if up else ("src", "dst")
        roles = f"and e.role <= {LAST_PASSING}" if passing else ""
        # One text per level instead of a row per edge: the rows would cost more than the walk.
        statement = f"""select json_group_array(e.{there}) from json_each(?) j
                        cross join edge e where e.{here} = j.value {roles}"""
        seen: dict[int, None] = dict.fromkeys(start)
        frontier = list(seen)
        while frontier and (limit is None or len(seen) < limit):
            (joined,) = self._connection.execute(statement, (json.dumps(frontier),)).fetchone()
            frontier = sorted(set(json.loads(joined)).difference(seen))
            seen.update(dict.fromkeys(frontier))
        return list(seen)[:limit] if limit is not None else list(seen)

    def walk(
        self,
        ids: Collection[str],
        *,
        up: bool,
        passing: bool = False,
        limit: int | None = None,
        as_of: int | None = None,
    ) -> Walk:
        """The part of the graph that the walk reaches: node ids by level, and every edge among them that it met.

        ``limit`` bounds the nodes; ``cut`` counts nodes that were met and left out.
        ``as_of`` reads the edges that held after that sequence number.
        """
        here, there = ("dst", "src") if up else ("src", "dst")
        roles = f"and role <= {LAST_PASSING}" if passing else ""
        now = f"""select e.src, e.role, e.dst, e.origins, v.number, e.since, null as until from edge e
                  left join version v on v.id = e.version where e.{here} in ({{places}}) {roles}"""
        then = f"""select p.src, p.role, p.dst, p.origins, v.number, p.since, p.until from past_edge p
                   left join version v on v.id = p.version where p.{here} in ({{places}}) {roles}
                   and p.until > p.since"""
        level: dict[int, int] = dict.fromkeys(self._codes.rows(ids).values(), 0)
        frontier, depth = list(level), 0
        edges: dict[tuple[int, int, int], tuple[Any, ...]] = {}
        cut: set[int] = set()
        while frontier:
            depth += 1
            following: list[int] = []
            for part in chunks(frontier):
                places = marks(len(part))
                if as_of is None:
                    rows = self._connection.execute(now.format(places=places), list(part)).fetchall()
                else:
                    rows = self._connection.execute(
                        f"""select * from ({now.format(places=places)} union all {then.format(places=places)})
                            where since <= ? and (until is null or until > ?)""",
                        (*part, *part, as_of, as_of),
                    ).fetchall()
                for row in rows:
                    other = row[0] if there == "src" else row[2]
                    if other not in level:
                        if limit is not None and len(level) >= limit:
                            cut.add(other)
                            continue
                        level[other] = depth
                        following.append(other)
                    edges[row[0], row[1], row[2]] = row
            frontier = following
        names = self._codes.ids(list(level))
        return Walk(
            levels={names[row]: depth for row, depth in level.items()},
            edges=[
                EdgeView(names[src], ROLE_WORDS[role], names[dst], origins_of(mask), number, since, until)
                for (src, role, dst), (_, _, _, mask, number, since, until) in edges.items()
            ],
            cut=len(cut),
        )


def _recursive(up: bool, passing: bool) -> str:
    """A statement's beginning: ``r`` is all that a walk from one node reaches, nearest first."""
    here, there = ("dst", "src") if up else ("src", "dst")
    roles = f"and e.role <= {LAST_PASSING}" if passing else ""
    # A condition that looks rare keeps the planner, after ANALYZE, from a Bloom filter over all edges.
    return f"""with recursive r(n) as (select ? union select e.{there} from r
               cross join edge e on e.{here} = r.n {roles} where likelihood(r.n > 0, 0.000001))"""
