"""The result that figures are drawn from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sample_audit import sample


@pytest.fixture(scope="session")
def result() -> dict[str, Any]:
    return sample().result()
