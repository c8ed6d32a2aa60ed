"""Make the specification of an audit from a preset and what is asked for; what cannot be is a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from diffoci.audit.methods import METHODS, default_methods, method_named
from diffoci.audit.presets import PAPER_VEC, PRESETS, repetitions
from diffoci.audit.settings import VEC_BY_OBJECTIVE, check_settings
from diffoci.audit.spec import AuditSpec

# What stands for no number where neither TOML nor a command line has a word for it.
NONE = "none"


def make_spec(
    data: str,
    *,
    sensitive: Sequence[str] | None = None,
    preset: str = "standard",
    methods: Sequence[str] | None = None,
    seeds: int | None = None,
    twin: bool = False,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    device: str = "auto",
) -> AuditSpec:
    """Fill in a specification from a preset; `settings` override single entries of it.

    Without `seeds` there are those of large data; `with_repetitions` knows those of others.

    Examples
    --------
    >>> make_spec("student", sensitive=["sex"], preset="quick").seeds
    (0, 1, 2)
    """
    if preset not in PRESETS:
        raise ValueError(f"There is no preset {preset!r}; choose one of {', '.join(PRESETS)}.")
    if methods is not None and not methods:
        raise ValueError(f"No method is named; name at least one of {', '.join(METHODS)}, or leave them to the preset.")
    names = tuple(method_named(name).name for name in dict.fromkeys(default_methods() if methods is None else methods))
    count = PRESETS[preset].seeds if seeds is None else seeds
    if not isinstance(count, int) or not 1 <= count <= 1000:
        raise ValueError(f"The number of repetitions (seeds) must be from 1 to 1000, not {count!r}.")
    chosen = _with_changes(preset, data, _as_mapping(settings))
    check_settings(chosen)
    return AuditSpec(
        data=data,
        sensitive=tuple(sensitive or ()),
        methods=names,
        seeds=tuple(range(count)),
        preset=preset,
        twin=twin,
        options=dict(options or {}),
        settings=chosen,
        device=device,
    )


def with_repetitions(spec: AuditSpec, rows: int) -> AuditSpec:
    """The specification with as many repetitions as so many rows have by default."""
    return replace(spec, seeds=tuple(range(repetitions(spec.preset, spec.settings, rows))))


def _with_changes(preset: str, data: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The preset's settings but for what is asked for, which also goes before the paper's numbers for its data."""
    chosen = dict(PRESETS[preset].settings)
    if preset == "paper" and data in PAPER_VEC:
        asked = _as_mapping(changes.get("vec"))
        chosen[VEC_BY_OBJECTIVE] = {
            objective: {name: value for name, value in own.items() if name not in asked}
            for objective, own in PAPER_VEC[data].items()
        }
    for name, value in changes.items():
        if name not in chosen:
            raise ValueError(f"There is no setting {name!r}; settings are {', '.join(chosen)}.")
        both = isinstance(value, Mapping) and isinstance(chosen[name], Mapping)
        chosen[name] = {**chosen[name], **_with_none(value)} if both else _with_none(value)
    return chosen


def _with_none(value: Any) -> Any:
    """Read the word for none, which neither TOML nor a command line has a value for."""
    if isinstance(value, Mapping):
        return {name: _with_none(one) for name, one in value.items()}
    return None if value == NONE else value


def _as_mapping(settings: Any) -> Mapping[str, Any]:
    if settings is not None and not isinstance(settings, Mapping):
        raise ValueError(f"Settings are a table of names and values, not {settings!r}.")
    return settings or {}
