"""Distributions of the parameter given the outcome."""
