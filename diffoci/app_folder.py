"""Where app.py and the pages lie: at the top of a checkout, or inside the package where it was installed."""

from __future__ import annotations

from pathlib import Path


def app_folder() -> Path:
    """Return the folder of app.py, or say that this installation has no dashboard."""
    package = Path(__file__).parent
    for folder in (package / "dashboard", package.parent):
        if (folder / "app.py").is_file():
            return folder
    raise ValueError("This installation has no dashboard: install the wheel of diffoci, or run it from a checkout.")
