"""What a person sees: results, records and progress, as rich renderables."""
