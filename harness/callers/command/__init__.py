"""A program of any language as an interval method."""
