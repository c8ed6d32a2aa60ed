"""Runs on pages: the one of the address, those of a person, how one is begun, watched, shared and deleted."""
