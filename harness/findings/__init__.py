"""What results mean: judgements as plain data, plain sentences, and numbers as text."""
