"""Labelled examples that come with the package, written for it: cases.jsonl, read by :mod:`lineage_scoring.labels`."""
