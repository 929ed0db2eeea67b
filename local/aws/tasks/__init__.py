"""ECS tasks as processes of this machine."""
