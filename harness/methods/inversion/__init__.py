"""Limits from inverting a test, for any discrete distribution."""
