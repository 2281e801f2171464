"""Numerical methods without statistics: special functions, quadrature, root finding, points."""
