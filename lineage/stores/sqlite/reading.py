"""Look-ups and walks in SQLite: operations that change nothing."""

from __future__ import annotations

from lineage.stores.sqlite.describing import Describing
from lineage.stores.sqlite.finding import Finding
from lineage.stores.sqlite.reporting import Reporting


class Reading(Finding, Describing, Reporting):
    """All that is read of nodes, for those who come through a transaction."""
