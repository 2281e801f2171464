"""Methods under check, and the names that select them."""
