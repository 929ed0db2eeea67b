"""The report's model, as report.json has it, and readers of earlier versions'."""
