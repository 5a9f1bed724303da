"""A graph in a notebook that can be touched: pan, zoom, search, items' texts, and time."""
