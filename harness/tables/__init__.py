"""Tidy tables of results: assembled, written and read."""
