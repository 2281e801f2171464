"""Curves of all methods over one axis, as a section of a page and as still pictures."""
