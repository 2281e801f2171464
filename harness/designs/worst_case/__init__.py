"""The largest miss probability over all truths."""
