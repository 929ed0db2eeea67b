"""Planning: from a suite to its cases, their order, size, time and cost, or a refusal."""
