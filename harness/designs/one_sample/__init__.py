"""Exact values of one sample of counts, by its own model or by a law."""
