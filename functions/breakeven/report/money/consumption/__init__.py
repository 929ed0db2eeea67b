"""Words for how messages are consumed."""
