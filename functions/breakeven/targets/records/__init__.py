"""Records: all that is known of each target before anything runs."""
