"""What Streamlit is given beside the pages, so that `streamlit run app.py` has it in every installation."""

from __future__ import annotations

from typing import Any

from starlette.middleware import Middleware
from starlette.routing import Route

from diffoci.server.addresses import mounted
from diffoci.server.doors import Doors
from diffoci.server.headers import Headers
from diffoci.server.readiness import lifespan, ready
from diffoci.server.uploads import UploadLimits


def surroundings() -> dict[str, Any]:
    """Return what `st.App` takes beside the script."""
    return {
        "middleware": [Middleware(Headers), Middleware(Doors), Middleware(UploadLimits)],
        "routes": [Route(mounted("/ready"), ready)],
        "lifespan": lifespan,
    }
