"""Interval methods: outcome, size and alpha to limits."""
