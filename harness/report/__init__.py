"""What pages of HTML are made of: sections with curves, maps and cells, and their templates."""
