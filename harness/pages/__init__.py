"""Whole pages of HTML: of results, of a check, of an audit, for teaching."""
