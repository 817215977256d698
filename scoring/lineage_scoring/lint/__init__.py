"""Citation lint: what is wrong with the citations of an answer, before anybody judges what they support.

Its reading of markers is that of a reader, and has nothing to do with ALCE's (:mod:`lineage_scoring.markers`), which
must stay as it is for ALCE's figures.
"""

from lineage_scoring.lint.checks import Finding, Source, lint

__all__ = ["Finding", "Source", "lint"]
