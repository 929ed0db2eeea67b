"""Images and launch templates of brokers' nodes."""
