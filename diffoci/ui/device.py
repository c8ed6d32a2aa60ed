"""What trains the networks, and what that means for waiting."""

from __future__ import annotations

from functools import cache

from joblib import cpu_count


@cache
def device_words() -> str:
    """Name the device in use: the graphics card by its name, or the processor."""
    import torch

    if torch.cuda.is_available():
        return f"GPU {torch.cuda.get_device_name()}"
    return "the Apple GPU" if torch.backends.mps.is_available() else f"CPU, {cpu_count()} cores"


@cache
def device_choices() -> tuple[str, ...]:
    """Return the devices an audit can ask for on this machine."""
    import torch

    found = ["cuda"] * torch.cuda.is_available() + ["mps"] * torch.backends.mps.is_available()
    return ("auto", "cpu", *found)


def waiting_words() -> str:
    """Say what to expect of this device."""
    if device_words().startswith("CPU"):
        return "A quick audit of some hundred people takes about half a minute, of 20,000 people a few minutes."
    return "Networks train on the graphics card; a quick audit takes a minute or less."
