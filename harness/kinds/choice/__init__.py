"""Choice: by one rule over several truths, which interval method a family should use."""
