"""Results, records and progress on the screen, as rich renderables."""
