"""Numerical libraries keep to one thread where asked, and only for so long."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from diffoci.threads import one_thread


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_one_thread_within_and_as_many_as_before_after() -> None:
    assert np.ones(2).sum() == 2  # numpy's own library is loaded
    with threadpool_limits(2):
        before = threads()
        for _ in range(2):  # the second time the libraries are known
            with one_thread():
                assert threads() == {1}
            assert threads() == before


def test_a_library_that_came_later_is_found() -> None:
    with one_thread():
        pass
    import sklearn.ensemble  # noqa: F401  brings another library

    with one_thread():
        assert {library["num_threads"] for library in threadpool_info()} == {1}
