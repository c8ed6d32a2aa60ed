"""Before training, in pictures: which columns reveal an attribute, and how they are distributed."""
