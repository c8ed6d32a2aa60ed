"""Published files: found on this machine, or downloaded, checked and kept."""
