"""Benchmarks: ratios against a bare floor that is measured in the same run."""
