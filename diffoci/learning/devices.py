"""What kind of device a name means, without loading torch where its version already tells."""

from __future__ import annotations

from importlib.metadata import version


def device_kind(name: str) -> str:
    """ "cpu", "cuda" or "mps"; a torch that was built for processors alone knows no other.

    >>> device_kind("cpu")
    'cpu'
    """
    if name == "cpu" or (name == "auto" and version("torch").endswith("+cpu")):
        return "cpu"
    from diffoci.learning.training import pick_device

    return str(pick_device(name).type)
