"""Pages of HTML that need nothing beside them: of results, of a check, of an audit, for teaching."""
