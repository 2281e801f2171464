"""Maps of values over sizes and places."""
