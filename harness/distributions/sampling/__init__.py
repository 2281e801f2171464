"""How the outcome of one sample arises from its true parameter."""
