"""A table of limits as an interval method."""
