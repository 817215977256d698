"""``affected``: which answers a correction reached and why, what it spared, and what cannot be excluded."""

from lineage.report.affected import Affected, affected
from lineage.report.corrections import CorrectionView, corrections

__all__ = ["Affected", "CorrectionView", "affected", "corrections"]
