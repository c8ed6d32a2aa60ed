"""Pictures of the labs, and of the paper's tables beside ours."""
