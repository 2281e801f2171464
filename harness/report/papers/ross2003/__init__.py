"""The claims of Ross (2003), by what its figures are about."""
