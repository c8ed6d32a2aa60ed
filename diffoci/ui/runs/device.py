"""What trains the networks, and what that means for waiting."""

from __future__ import annotations

import os
import sys
import threading
from functools import cache

from joblib import cpu_count

_torch_is_there = threading.Event()
# Where Linux has none of these, no graphics card can compute: AMD's, NVIDIA's, and Windows' beneath it.
_CARDS = ("/dev/kfd", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")


def device_words() -> str:
    """Name the device in use: the graphics card by its name, or the processor.

    The first page of a server does not wait for torch to say so: it loads behind the page, with what starting an audit
    needs, so that whoever reads the page first does not wait for either.
    """
    if not _torch_is_there.is_set():
        _load_torch()
        if not _torch_is_there.wait(0.05):
            return "this machine" if _may_have_a_card() else _processor()
    return _named_device()


def _may_have_a_card() -> bool:
    return not sys.platform.startswith("linux") or any(map(os.path.exists, _CARDS))


def _processor() -> str:
    return f"CPU, {cpu_count()} cores"


@cache
def _load_torch() -> None:
    def load() -> None:
        import diffoci.audit.cells  # noqa: F401

        _torch_is_there.set()

    threading.Thread(target=load, daemon=True).start()


def wait_for_libraries() -> None:
    """Wait until what audits compute with is loaded.

    For pages that compute by themselves: of a package that another thread is importing, scikit-learn above all, an
    import may see one half.
    """
    _load_torch()
    _torch_is_there.wait(60)


@cache
def _named_device() -> str:
    import torch

    if torch.cuda.is_available():
        return f"GPU {torch.cuda.get_device_name()}"
    return "the Apple GPU" if torch.backends.mps.is_available() else _processor()


@cache
def device_choices() -> tuple[str, ...]:
    """Return the devices an audit can ask for on this machine."""
    import torch

    found = ["cuda"] * torch.cuda.is_available() + ["mps"] * torch.backends.mps.is_available()
    return ("auto", "cpu", *found)


def waiting_words() -> str:
    """Say what to expect of this device."""
    if "GPU" in device_words():
        return "Networks train on the graphics card; a quick audit takes a minute or less."
    return "A quick audit of a few hundred people takes about half a minute, one of 20,000 people a few minutes."
