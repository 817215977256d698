"""Traces as text and pictures. Each module has one function, ``render(trace) -> str``."""
