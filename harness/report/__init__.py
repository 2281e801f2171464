"""Pages of HTML that need no other file: of results, of a check, of an audit, for teaching."""
