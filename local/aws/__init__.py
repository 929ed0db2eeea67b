"""The simulated AWS: moto, corrected and made stricter, and what it starts."""
