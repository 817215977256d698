"""A whole store as JSON Lines, and from them again: between stores, byte for byte."""

from lineage.dump.reading import Loaded, load
from lineage.dump.writing import Dumped, dump

__all__ = ["Dumped", "Loaded", "dump", "load"]
