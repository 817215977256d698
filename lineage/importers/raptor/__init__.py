"""RAPTOR's pickled trees, read without running anything, as recorded forms."""
