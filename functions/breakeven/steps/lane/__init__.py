"""Steps of one lane: images, brokers, warm-up, release."""
