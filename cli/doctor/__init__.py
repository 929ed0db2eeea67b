"""``breakeven doctor``: whether an AWS account, its images and machines are ready for a run."""
