"""The template of this checkout, synthesized and kept."""
