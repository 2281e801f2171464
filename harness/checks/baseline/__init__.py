"""Baselines: the numbers and the limits of methods, stored as text files under version control."""
