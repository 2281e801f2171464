"""What a notebook shows of the public records, functions of its cells, and the stored notebooks."""
