"""Exact values of pairs, whose outcomes are tables of counts."""
