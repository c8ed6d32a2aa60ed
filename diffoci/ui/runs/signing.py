"""The key that a server signs its files with, where its operator named one."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from diffoci.signing.keys import PrivateKey, read_private_key

_LOG = logging.getLogger(__name__)
UNUSABLE = (
    "The key that this server signs with (DIFFOCI_SIGNING_KEY) cannot be used, so it hands out no report, model card "
    "or zip file; whoever runs it finds the reason in its log."
)


def signing_key() -> PrivateKey | None:
    """Return the key of DIFFOCI_SIGNING_KEY, or None where none is named; one that cannot be used is a sentence."""
    named = os.environ.get("DIFFOCI_SIGNING_KEY")
    if not named:
        return None
    try:
        return read_private_key(Path(named).expanduser())
    except (ValueError, OSError):
        _LOG.exception("The signing key cannot be used")
        raise ValueError(UNUSABLE) from None
