"""The line that runs an audit again: the same specification, word for word, as the command line takes it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from diffoci.audit.make_spec import make_spec
from diffoci.audit.spec import AuditSpec
from diffoci.data.source import Source
from diffoci.data.sources import find_source
from diffoci.name_lists import join_names


def rerun_command(spec: AuditSpec) -> str | None:
    """Return the command whose specification has the same digest; None where no line of flags can say it."""
    source = find_source(spec.data)
    if source is None or None in spec.options.values() or list(spec.seeds) != list(range(len(spec.seeds))):
        return None
    words = ["python", "-m", "diffoci", "audit", "--data", spec.data]
    if spec.sensitive:
        words += _flag("sensitive", join_names(spec.sensitive))
    words += ["--preset", spec.preset, "--seeds", str(len(spec.seeds))]
    preset = make_spec(spec.data, preset=spec.preset, seeds=len(spec.seeds))
    if spec.methods != preset.methods:
        words += ["--methods", ",".join(spec.methods)]
    if spec.twin:
        words.append("--twin")
    for name, value in spec.options.items():
        words += _option(source, name, value)
    for name, value in _changed(spec.settings, preset.settings).items():
        words += ["--setting", f"{name}={_toml(value)}"]
    if spec.device != "auto":
        words += ["--device", spec.device]
    return shlex.join(words)


def _option(source: Source, name: str, value: Any) -> list[str]:
    if name == "drop" and isinstance(value, (list, tuple)):
        return _flag(name, join_names(value))
    option = source.option(name)
    if option is not None and option.flag and value is True:
        return _flag(name)
    if option is not None and option.flag and repr(option.parse(str(value))) == repr(value):
        return _flag(name, str(value))
    return ["--option", f"{name}={_toml(value)}"]


def _flag(name: str, value: str | None = None) -> list[str]:
    """A flag with its value, in one word where the value would itself be taken for a flag."""
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return [flag]
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _changed(settings: Mapping[str, Any], preset: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that are not the preset's; of a mapping, its entries that are not."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        known = preset.get(name)
        if _plain(value) == _plain(known):
            continue
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            found[name] = {key: one for key, one in value.items() if _plain(one) != _plain(known.get(key, _MISSING))}
        else:
            found[name] = value
    return found


_MISSING = "\0missing"


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _toml(value: Any) -> str:
    if value is None:
        value = "none"  # TOML has no word for it
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
