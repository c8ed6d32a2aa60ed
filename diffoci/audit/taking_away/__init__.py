"""Take a representation away from an audit, and use it elsewhere."""
