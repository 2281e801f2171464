"""Exact miss probabilities by enumeration of the outcomes."""
