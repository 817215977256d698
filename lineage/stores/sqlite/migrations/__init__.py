"""Numbered SQL files. A file that has been released never changes: its checksum is recorded when it is applied."""
