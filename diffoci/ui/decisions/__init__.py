"""The Decisions page: what is drawn of methods trained here, and of a model that exists."""
