"""Charts as inline SVG, each in a wide and a narrow form. matplotlib is imported when one is drawn."""
