"""Stores: one protocol (:mod:`lineage.stores.base`), one module or package an implementation."""
