"""Laws of one sample's count beside the binomial and the Poisson."""
