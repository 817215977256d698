"""Re-deriving what a store holds from what a reader gets back, and naming what disagrees.

Each fault names the item (a document's version, a span, a node by its key, a run, a correction) and the field. Work
goes in pages, so that memory does not grow with the store, but for its lists of runs and causes.

What it cannot see, because nothing else in the store follows from it:

- words that someone said and that nothing is derived from: titles, details, urls, media types, aliases, labels, cache
  keys, markers and their ranges, reasons, names of who decided, what a run says of its model and configuration, what a
  finding says, what a statement says of a version's validity, and its turning up at another version;
- times (UTC microseconds), except where two rows must hold the same one: order is by the sequence;
- a number of the sequence that was changed so that the order stays, where no other row has it;
- which of several possible inputs an edge names, in which role, how it is known, and which of the versions where the
  input stands was read, as long as no mark, no citation and no key says otherwise; what is history likewise;
- whether lineage that is not complete is partial or unknown;
- what stood where a purged text was;
- a change that someone made consistently everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from lineage.stores.base import Transaction
from lineage.verify.beside import verify_beside
from lineage.verify.causes import verify_causes
from lineage.verify.derivations import verify_derivations
from lineage.verify.judgments import verify_judgments
from lineage.verify.marks import verify_histories, verify_marks
from lineage.verify.nodes import verify_names, verify_nodes
from lineage.verify.report import Audit, Fault, Verification
from lineage.verify.runs import verify_runs
from lineage.verify.sources import verify_sources
from lineage_schema.errors import LineageError

__all__ = ["Fault", "Verification", "verify"]

PARTS: tuple[tuple[str, Callable[[Audit], None]], ...] = (
    ("runs", verify_runs),
    ("causes", verify_causes),
    ("sources", verify_sources),
    ("nodes", verify_nodes),
    ("keys", verify_names),
    ("derivations", verify_derivations),
    ("answers and what stands beside nodes", verify_beside),
    ("judgments", verify_judgments),
    ("marks", verify_marks),
    ("history of marks", verify_histories),
)


def verify(tx: Transaction, on_progress: Callable[[int, int], None] | None = None) -> Verification:
    """Looks at the whole store. ``on_progress`` gets what is done and the total, in rows."""
    audit = Audit(tx, on_progress)
    with tx.auditing.lenient():
        for fault in tx.auditing.storage():
            audit.fault(*fault)
        for part, work in PARTS:
            try:
                work(audit)
            except (LineageError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                # What a reader needs to go on is itself broken: the parts that hold it have named it, or will.
                audit.fault(part, "reading", f"{type(error).__name__}: {error}", "rows that can be read")
    audit.finish()
    return audit.report
