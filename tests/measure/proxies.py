"""``python -m tests.measure.proxies``: seconds of the Proxies page, the first time and afterwards, without a browser.

Seconds of the processor are what the work takes on any day; those on the clock are worth something on an idle machine.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.browser.conftest import ROOT

DATA: dict[str, dict[str, Any]] = {
    "Bank, 41,188 rows": {"data": "bank", "sensitive": ("marital",), "twin": False, "options": {}},
    "ACS twin, 22,000 rows": {
        "data": "acs-income",
        "sensitive": ("sex",),
        "twin": True,
        "options": {"rows": 22_000},
    },
}


def main() -> None:
    """Print one line for each data and visit."""
    os.environ["DIFFOCI_RUNS"] = tempfile.mkdtemp(prefix="diffoci-proxies-")
    print("| page | processor | clock |\n|---|---|---|")
    for name, draft in DATA.items():
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).switch_page("pages/data.py")
        app.session_state["draft"] = draft
        app.run()  # reads the data
        app.switch_page("pages/proxies.py")
        for visit in ("the first time", "afterwards"):
            processor, clock = time.process_time(), time.perf_counter()
            app.run()
            assert not app.exception
            assert not app.error
            took, waited = time.process_time() - processor, time.perf_counter() - clock
            print(f"| {name}, {visit} | {took:.1f} s | {waited:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
