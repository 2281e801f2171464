"""A user's own function as an interval method."""
