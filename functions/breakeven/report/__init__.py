"""Reports: from query results to page, Markdown and JSON. ``contents`` lists the sections."""
