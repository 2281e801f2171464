"""Intervals for the metrics of a classifier, from the counts of its confusion table."""
