"""Reports of the labs, and what verify checks of them."""
