"""The `lineage` command: reads arguments, calls the layers below, renders what they return."""
