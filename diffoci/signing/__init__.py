"""Signatures on what is handed out: keys (Ed25519), who signed, and whether anything was changed since."""
