"""Settings of a deployment, read from the CDK's context and checked."""
