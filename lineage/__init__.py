"""A provenance graph store for derived evidence."""
