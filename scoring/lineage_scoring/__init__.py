"""Attribution scoring, the layer above `lineage`: loading, judging and arithmetic stand apart."""
