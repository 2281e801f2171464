"""A user's function as an interval method."""
