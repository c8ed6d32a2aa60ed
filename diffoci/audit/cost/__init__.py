"""What an audit costs: how long it will take, and how much memory."""
