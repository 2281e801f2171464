"""A function of R as an interval method."""
