"""Pages of checks: of one method or several, and of an audit of packages."""
