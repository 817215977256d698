"""Microsoft GraphRAG's output tables (all four shapes, parquet and CSV) as recorded forms."""
