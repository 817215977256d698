"""Registration: recorded forms in, rows out; a batch is all or nothing, and its order is free."""

from lineage.register.batch import Finding, Registered, register

__all__ = ["Finding", "Registered", "register"]
