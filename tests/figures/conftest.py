"""The result that figures are drawn from."""

from __future__ import annotations

import pytest

from diffoci.audit.result import AuditResult
from tests.sample_audit import sample


@pytest.fixture(scope="session")
def result() -> AuditResult:
    return sample().result()
