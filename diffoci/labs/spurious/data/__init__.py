"""The data of the lab: images that our own code makes, and files of one's own."""
