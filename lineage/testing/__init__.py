"""What every store is tested with: the oracle, a state machine over the public API, and named examples.

A store's own tests give one hook, a function that opens an empty graph, and inherit the rest.
"""
