"""Choice of loaders: how many, and Lambda or Fargate."""
