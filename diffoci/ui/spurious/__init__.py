"""The spurious lab on its page: what to train before there is a run, and what was found after it."""
