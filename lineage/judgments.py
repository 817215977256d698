"""Judgments in a graph: kept, found, decided between. Whoever scores asks here; nothing is judged here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar

from lineage.stores.base import Kept, Transaction
from lineage_schema.errors import BadInput, NotFound
from lineage_schema.judgments import JUDGMENT_TAG, Calibration, JudgeId, Judgment, Splitting
from lineage_schema.vocabulary import Kind, Verdict

T = TypeVar("T")
PAGE = 5_000
DIGITS = 4
"""A prefix of a key with fewer digits names nothing."""


class Access(Protocol):
    """How the graph lets its store be read and written."""

    def read(self, work: Callable[[Transaction], T]) -> T: ...

    def write(self, work: Callable[[Transaction], T]) -> T: ...


class Judgments:
    """The judgments of a graph, :attr:`LineageGraph.judgments`."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def keep(self, rows: Sequence[Judgment]) -> Kept:
        """Keeps verdicts, all or none. One that is there already is kept once.

        One that differs from another under its key is kept beside it; the result names such keys, and until
        :meth:`resolve` decides, no score is made of them. Raises :class:`BadInput` for a score outside 0 to 1, and for
        a judgment without passages: the empty set is unsupported, and never asked.
        """
        for row in rows:
            if row.score is not None and not 0 <= row.score <= 1:
                raise BadInput(row.key, "score", found=row.score, expected="a number from 0 to 1")
            if row.statement is None or not row.passages or any(shown.text is None for shown in row.passages):
                raise BadInput(row.key, "passages", found=None, expected="a statement and at least one passage")
        if not rows:
            return Kept(0, 0, [])
        return self._access.write(lambda tx: tx.judgments.put(rows, tx.next_seq(), tx.now()))

    def find(self, keys: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts under keys; unknown keys are left out."""
        return self._access.read(lambda tx: tx.judgments.find(keys))

    def of_statements(self, statements: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts on statements, by the statement's text."""
        return self._access.read(lambda tx: tx.judgments.of_statements(statements))

    def judges(self) -> list[tuple[JudgeId, int]]:
        """Who gave verdicts, and how many."""
        return self._access.read(lambda tx: tx.judgments.judges())

    def conflicts(self) -> list[Judgment]:
        """Verdicts that differ under one key of which none was chosen."""

        def work(tx: Transaction) -> list[Judgment]:
            keys = tx.judgments.conflicts()
            found = tx.judgments.find(keys)
            return [row for key in keys for row in found[key]]

        return self._access.read(work)

    def resolve(self, key: str, verdict: Verdict | str, *, reason: str, by: str | None = None) -> Judgment:
        """Decides which of the differing verdicts under a key (or a unique prefix of it) holds.

        Raises :class:`NotFound`, and :class:`BadInput` for a verdict that nobody gave, or an empty reason.
        """
        if not reason.strip():
            raise BadInput("resolution", "reason", found=reason, expected="why this verdict holds")
        wanted = Verdict(verdict)

        def work(tx: Transaction) -> Judgment:
            rows = tx.judgments.find([_whole(tx, key)])
            (listed,) = rows.values()
            row = next((each for each in listed if each.verdict is wanted), None)
            if row is None:
                said = ", ".join(each.verdict.value for each in listed)
                raise BadInput(listed[0].key, "verdict", found=wanted.value, expected=f"one that was given: {said}")
            tx.judgments.choose(row.key, row.number, reason, by, tx.next_seq(), tx.now())
            return next(each for each in tx.judgments.find([row.key])[row.key] if each.number == row.number)

        return self._access.write(work)

    def keep_calibration(self, row: Calibration) -> None:
        """Keeps how a judge did on labelled examples."""
        self._access.write(lambda tx: tx.judgments.put_calibration(row, tx.next_seq(), tx.now()))

    def calibrations(self, judge: JudgeId | None = None) -> list[Calibration]:
        """Those of a judge, or of all, the last one last."""
        return self._access.read(lambda tx: tx.judgments.calibrations(judge))

    def keep_scores(self, scores: Sequence[tuple[str, str]]) -> None:
        """Keeps scores (answer id, canonical JSON). What was kept is never changed by a later correction."""

        def work(tx: Transaction) -> None:
            seq = tx.next_seq()
            for answer, body in scores:
                tx.judgments.put_score(answer, body, seq, tx.now())

        self._access.write(work)

    def scores(self, answer: str) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the scores of an answer that were kept, in order. Times are UTC microseconds."""
        return self._access.read(lambda tx: tx.judgments.scores(answer))

    def keep_splittings(self, rows: Sequence[Splitting]) -> None:
        """Keeps what claims (ids) were split into, all or none. Of one claim's splittings the last kept counts.

        Raises :class:`NotFound`, and :class:`BadInput` for what is no claim, was purged, comes twice, or has a part
        without a text.
        """
        if not rows:
            return
        ids: dict[str, None] = {}
        for row in rows:
            if not row.parts or not all(part.strip() for part in row.parts):
                raise BadInput(row.claim, "parts", found=row.parts, expected="texts, at least one")
            if row.claim in ids:
                raise BadInput(row.claim, "claim", found=row.claim, expected="each claim once")
            ids[row.claim] = None

        def work(tx: Transaction) -> None:
            seq = tx.next_seq()
            views = tx.reading.views(ids)
            for id_ in ids:
                if id_ not in views:
                    raise NotFound(f"no claim {id_}")
                if views[id_].kind != Kind.CLAIM or views[id_].text is None:
                    found = views[id_].kind if views[id_].kind != Kind.CLAIM else "a purged one"
                    raise BadInput(id_, "claim", found=found, expected="a claim with its text")
            tx.judgments.put_splittings(rows, seq, tx.now())

        self._access.write(work)

    def splittings(self, claims: Collection[str]) -> dict[str, list[Splitting]]:
        """What claims (ids) were split into, the last one last; claims that were not are left out."""
        return self._access.read(lambda tx: tx.judgments.splittings(claims))


def _whole(tx: Transaction, key: str) -> str:
    """The key that a prefix begins. Raises :class:`NotFound`, also where it begins several."""
    if tx.judgments.find([key]):
        return key
    digits = key.removeprefix(JUDGMENT_TAG)
    found: list[str] = []
    after = ""
    while len(digits) >= DIGITS and (page := tx.judgments.keys(after=after, limit=PAGE)):
        found += [each for each in page if each.removeprefix(JUDGMENT_TAG).startswith(digits)]
        after = page[-1]
    if len(found) != 1:
        many = f"{len(found)} judgments begin with" if found else "no judgment is called"
        raise NotFound(f"{many} {key!r}", hint="lineage judge conflicts lists those that differ")
    return found[0]


def holding(rows: Sequence[Judgment]) -> Judgment | None:
    """The verdict that holds among those of one key: the only one, or the chosen one; None where they differ."""
    if len(rows) == 1:
        return rows[0]
    return next((row for row in rows if row.chosen), None)
