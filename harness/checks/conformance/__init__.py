"""The properties of an interval method, checked at every outcome of a grid."""
