"""Enumeration over a distribution of truths, by quadrature."""
