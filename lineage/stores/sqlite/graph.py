"""Nodes, and what stands beside them, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from lineage.stores.base import CitationRow, NodeRow, RunState
from lineage.stores.sqlite.codes import chunks, digest_of, marks, one
from lineage.stores.sqlite.derivations import Derivations
from lineage.stores.sqlite.names import Names
from lineage_schema.identity import content_hash


class Graph(Names, Derivations):
    """Operations on what is derived. Whoever calls has checked the input."""

    def kinds(self, ids: Collection[str]) -> dict[str, str]:
        """The kinds of those ids that the store has."""
        rows = self._codes.rows(ids)
        found: dict[str, str] = {}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            for row, kind in self._connection.execute(
                f"select id, kind from node where id in ({marks(len(by_row))})", list(by_row)
            ):
                found[by_row[row]] = self._codes.word("kind", kind)
        return found

    def existing(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that the store has."""
        return set(self._codes.rows(ids))

    def insert(self, rows: Sequence[NodeRow], existing: Collection[str], run: RunState) -> set[str]:
        """Writes those of the rows that do not exist, with their edges, and names all; returns the new ids.

        Inputs are in the store, or among the rows.
        """
        known = self._codes.rows(existing)
        new = [row for row in rows if row.id not in known]
        first = (one(self._connection, "select max(id) from node") or 0) + 1
        nodes = {**known, **{row.id: first + index for index, row in enumerate(new)}}
        names, unsettled = self._put_names(rows, nodes)
        if new:
            self._insert_new(new, nodes, names, run)
        self._name(rows, known, names, unsettled, run)
        self._put_askings(rows, nodes, run)
        return {row.id for row in new}

    def _insert_new(
        self,
        new: Sequence[NodeRow],
        rows: Mapping[str, int],
        names: Mapping[tuple[str, int, int], int],
        run: RunState,
    ) -> None:
        run_row = self._run_row(run.id)
        texts = self._sources.put_texts({row.sha256: row.text for row in new})
        questions = {row.answer.question for row in new if row.answer}
        hashes = {question: content_hash(question) for question in questions}
        rows_of = self._sources.put_texts({hashes[question]: question for question in questions})
        self._codes.remember((row.id, rows[row.id]) for row in new)
        nodes, details, answers, claims = [], [], [], []
        for row in new:
            node = rows[row.id]
            named = run.begin if row.asked is None else row.asked
            name = names[row.key, self._codes.kind(row.kind), self._codes.namespace(row.namespace)]
            nodes.append(
                (
                    node,
                    digest_of(row.id),
                    self._codes.kind(row.kind),
                    name,
                    texts[row.sha256],
                    row.attributes,
                    named,
                    named,
                    run_row,
                    run.begin,
                    int(run.derived),
                    run.begin,
                    row.lineage,
                )
            )
            if row.title is not None or row.reason is not None or row.details is not None:
                details.append((node, row.title, row.reason, row.details))
            if row.answer is not None:
                searched = json.dumps(sorted(row.answer.searched)) if row.answer.searched else None
                answers.append(
                    (node, row.answer.cache_key, rows_of[hashes[row.answer.question]], named, row.answer.at, searched)
                )
            if row.claim is not None:
                claims.append((node, row.claim.label, int(row.claim.needs_evidence)))
        nodes.sort(key=lambda row: row[1])
        self._connection.executemany(
            """insert into node(id, hash, kind, name, text, attributes, named_first, named_last, run, begin, derived,
                 made, lineage) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            nodes,
        )
        self._connection.executemany("insert into detail values (?, ?, ?, ?)", details)
        self._connection.executemany(
            "insert into answer(node, cache_key, question, asked, at, searched) values (?, ?, ?, ?, ?, ?)", answers
        )
        self._connection.executemany("insert into claim values (?, ?, ?)", claims)
        self._put_edges(((row.id, row.edges) for row in new), run.begin)
        self._connection.executemany(
            "insert into seed(cause, node, severity) select id, ?, 1 from cause where type = 2",
            [(rows[row.id],) for row in new if row.lineage],
        )

    def put_aliases(self, rows: Sequence[NodeRow]) -> int:
        """Native ids of nodes that are in the store; returns how many were new."""
        aliases = [(alias, row.namespace, row.id) for row in rows for alias in row.aliases]
        if not aliases:
            return 0
        nodes = self._codes.rows({id_ for _, _, id_ in aliases})
        before = self._connection.total_changes
        self._connection.executemany(
            "insert into alias values (?, ?, ?) on conflict do nothing",
            sorted((alias, self._codes.namespace(namespace), nodes[id_]) for alias, namespace, id_ in aliases),
        )
        return self._connection.total_changes - before

    def _put_askings(self, rows: Sequence[NodeRow], nodes: Mapping[str, int], run: RunState) -> None:
        run_row = self._run_row(run.id)
        self._connection.executemany(
            "insert into asking values (?, ?, ?) on conflict do nothing",
            ((nodes[row.id], run_row, row.asked) for row in rows if row.answer is not None),
        )

    def asked_by(self, answers: Collection[str], run: RunState) -> dict[str, int]:
        """The sequence numbers at which a run asked for answers, of those for which it did."""
        rows = {row: id_ for id_, row in self._codes.rows(answers).items()}
        found: dict[str, int] = {}
        for part in chunks(list(rows)):
            for row, number in self._connection.execute(
                f"""select x.node, x.asked from run r join asking x on x.run = r.id
                    where r.hash = ? and x.node in ({marks(len(part))})""",
                (bytes.fromhex(run.id[3:]), *part),
            ):
                found[rows[row]] = number
        return found

    def asked(self, answer: str) -> int:
        """The sequence number at which an answer was asked last."""
        return int(one(self._connection, "select named_last from node where hash = ?", (digest_of(answer),)))

    def derive_from(self, namespace: str, inputs: Collection[str]) -> None:
        """A namespace derives from the namespaces of these nodes, and from the documents of these spans."""
        code = self._codes.namespace(namespace)
        rows = list(self._codes.rows(inputs).values())
        for part in chunks(rows):
            places = marks(len(part))
            self._connection.execute(
                f"""insert into namespace_input select distinct ?, a.namespace from node n join name a on a.id = n.name
                    where n.id in ({places}) and a.namespace <> ? on conflict do nothing""",
                (code, *part, code),
            )
            self._connection.execute(
                f"""insert into namespace_document select distinct ?, s.document, 0 from span s
                    where s.node in ({places}) on conflict do nothing""",
                (code, *part),
            )

    def put_citations(self, rows: Sequence[CitationRow], run: RunState) -> None:
        """Citations as printed, of claims that are in the store."""
        nodes = self._codes.rows({id_ for row in rows for id_ in (row.claim, row.target) if id_ is not None})
        versions = self._version_lookup(
            {(row.target, row.version) for row in rows if row.target and row.version}, nodes
        )
        run_row = self._run_row(run.id)
        self._connection.executemany(
            """insert into citation values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing""",
            (
                (
                    nodes[row.claim],
                    run_row,
                    row.order,
                    row.marker,
                    row.marker_start,
                    row.marker_end,
                    None if row.target is None else nodes[row.target],
                    versions[row.target, row.version] if row.target and row.version else None,
                    row.start,
                    row.end,
                    int(row.whole),
                )
                for row in rows
            ),
        )

    def put_findings(self, findings: Iterable[tuple[str, str, str]], run: RunState) -> None:
        """(kind, where, what) that a run met and kept."""
        run_row = self._run_row(run.id)
        self._connection.executemany(
            "insert into finding(run, kind, place, what) values (?, ?, ?, ?) on conflict do nothing",
            ((run_row, *finding) for finding in findings),
        )
