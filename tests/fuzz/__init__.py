"""Readers of strangers' files under random damage: each answers with a sentence or takes the file, whatever comes."""
