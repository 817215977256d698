"""Values, identity and vocabulary of the lineage graph. No I/O; imports nothing above it."""
