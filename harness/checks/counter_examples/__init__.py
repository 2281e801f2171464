"""What a picture of a finding shows: limits, tails, miss probabilities, numbers beside a bound."""
