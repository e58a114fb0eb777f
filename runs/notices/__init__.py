"""Telling people and programs that something waits, waits long, or was settled."""
