"""Zip files of audits for tests: taken apart, put together again, and filled with what a stranger might write."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

from diffoci.audit.spec import AuditSpec
from diffoci.runs.sharing._unpacking import MANIFEST

Files = dict[str, bytes]
HOSTILE = "<img src=x onerror=alert(1)>![i](http://stranger.example/i.png)"


def files_of(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def zipped(files: Files, *, listed: bool = True) -> bytes:
    """A zip of these files; with `listed` their manifest is brought up to date."""
    if listed and MANIFEST in files:
        manifest = json.loads(files[MANIFEST])
        manifest["files"] = {
            name: {"bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()}
            for name, part in files.items()
            if name != MANIFEST
        }
        files = {**files, MANIFEST: json.dumps(manifest).encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in files.items():
            file.writestr(name, part)
    return buffer.getvalue()


def hostile(shared: bytes) -> bytes:
    """The same audit with markup and scripts wherever a text is shown, as a valid archive under another id."""
    files = files_of(shared)
    before = json.loads(files["spec.json"])
    for name, part in files.items():
        if name.endswith(".json"):
            for text in (b'"sex"', b'"absences"', b'"urban"'):
                part = part.replace(text, json.dumps(HOSTILE + text.decode().strip('"')).encode())
            files[name] = part.replace(before["id"].encode(), b"f" * 32)
    result = json.loads(files["result.json"])
    for entry in ("name", "title", "source", "licence", "citation"):
        result["provenance"][entry] = f"{HOSTILE}<script>alert(2)</script>"
    result["provenance"]["notes"] = [HOSTILE, "=cmd()"]
    result["label"] = {"name": HOSTILE, "classes": [f"{HOSTILE}0", f"{HOSTILE}1"]}
    result["failures"] = {HOSTILE: "<script>alert(3)</script>"}
    result["features"]["labels"] = [HOSTILE] * len(result["features"]["labels"])
    for method in result["methods"]:
        method |= {word: f"{HOSTILE}{method[word]}" for word in ("title", "short", "description", "citation")}
    spec = json.loads(files["spec.json"])
    digest = AuditSpec.from_dict(spec["spec"]).digest()
    files["result.json"] = json.dumps(result, indent=1).encode()
    for name, part in files.items():
        if name.endswith(".json"):
            files[name] = part.replace(before["digest"].encode(), digest.encode())
    return zipped(files)
