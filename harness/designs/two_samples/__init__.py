"""Exact values of two independent samples of counts."""
