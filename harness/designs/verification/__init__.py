"""The comparison of every published number with a second computation of it."""
