"""What people do on the pages, written down in the access log: always where they sign in, else where asked for."""

from __future__ import annotations

from collections.abc import Mapping

from diffoci import access_log
from diffoci.access_log import Event, Reason, Thing
from diffoci.server.people import must_sign_in, owner_of


def note(event: Event, claims: Mapping[str, object], *, what: Thing, id: str = "", why: Reason = "") -> None:
    """Write down what somebody does, by what the provider claims about them; before it is done."""
    access_log.record(
        event, what=what, id=id, who=owner_of(claims) or "", name=_name(claims), why=why, begin=must_sign_in()
    )


def note_too_old(what: Thing, *, id: str = "", times: int = 1) -> None:
    """Write down what the server itself deletes, since the operator's limits of age say so."""
    name = "the server, as too old"
    access_log.record("deleted", what=what, id=id, name=name, times=times, begin=must_sign_in())


def _name(claims: Mapping[str, object]) -> str:
    """Return what somebody is called: the address that the provider checked, or else what they call themselves."""
    address = claims.get("email") if claims.get("email_verified") is True else None
    return str(address or claims.get("name") or claims.get("sub") or "")
