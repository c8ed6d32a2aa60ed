"""Delete audits and uploaded files from a page, after a question; each person only their own."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from diffoci.plain_text import counted
from diffoci.runs.deletion import check_deletable, delete_run, id_in, reads
from diffoci.runs.queue import waiting
from diffoci.runs.remembered import forget_roles_of
from diffoci.runs.retention import AUDITS, DRAFTS, ROLES, UPLOADS
from diffoci.runs.store import Run
from diffoci.runs.uploads import Upload, check_not_needed, forget_upload, uploads_of
from diffoci.ui.access import note
from diffoci.ui.forms.naming import title_of
from diffoci.ui.guard import sentence_for
from diffoci.ui.links import PARAMETER
from diffoci.ui.runs.draft import draft, drop_draft
from diffoci.ui.runs.own_runs import own_run
from diffoci.ui.signin import owner
from diffoci.ui.words import ago, plain_markdown

_SAID = "deleting-said"
_TIMES = "uploads-deleted"
_ALSO = "delete-also"
_OUT_OF_REACH = "Reports and zip files that somebody downloaded, and backups, are out of reach."
_ICON = ":material/delete:"


def how_long_audits_are_kept() -> None:
    """Say after how long audits and uploaded files are deleted."""
    st.caption(f"{AUDITS.sentence} {UPLOADS.sentence}")


def show_outcome() -> None:
    """Say what became of the last wish to delete something, once."""
    if said := st.session_state.pop(_SAID, None):
        done, sentence = said
        show = st.success if done else st.error
        show(plain_markdown(sentence), icon=_ICON if done else ":material/error:")


def offer_deletion(run: Run, *, damaged: bool = False) -> None:
    """Offer to delete an audit; one that goes on has to be cancelled first."""
    busy = run.is_running() or run.id in waiting()  # nothing is read that may be damaged
    if st.button(
        "Delete",
        key=f"delete-damaged-{run.id}" if damaged else f"delete-{run.id}",
        type="tertiary",
        icon=_ICON,
        disabled=busy,
        help="It is running or waiting: cancel it on the Train page first." if busy else None,
    ):
        _ask_about_audit(run)


@st.dialog("Delete this audit?")
def _ask_about_audit(run: Run) -> None:
    st.markdown(
        f"**{plain_markdown(title_of(run))}**, {ago(run.created)}. Its numbers, representations and "
        f"weights are deleted from this server for good. {_OUT_OF_REACH}"
    )
    upload = _upload_of(run)
    if upload is not None:
        st.checkbox(
            f"Delete the uploaded file {plain_markdown(upload.title)} as well",
            key=_ALSO,
            help="Other audits of it stay; only what needs its rows can then no longer be shown.",
        )
    _decide(lambda: _delete_audit(run.id, upload), "Delete the audit")


def _upload_of(run: Run) -> Upload | None:
    """Return the file that an audit is of, where the same person uploaded it and it is still there."""
    return next((one for one in uploads_of(owner()) if reads(run, one.folder)), None)


def _delete_audit(identifier: str, upload: Upload | None) -> str:
    run, also = own_run(identifier), upload is not None and bool(st.session_state.get(_ALSO))
    check_deletable(run.folder)
    note("deleted", what="audit", id=run.id)
    delete_run(run.folder)
    if st.query_params.get(PARAMETER) == identifier:
        del st.query_params[PARAMETER]
    if upload is not None and also:
        return f"The audit was deleted. {_delete_uploads([upload], with_audits=False)}"
    _empty_memory()
    return "The audit was deleted."


def uploader_key() -> str:
    """Return the key of the widget that takes files: another one after every deletion, so that it begins empty."""
    times = int(st.session_state.get(_TIMES, 0))
    return f"data-upload-{times}" if times else "data-upload"


def show_uploads() -> None:
    """Say how long uploaded files are kept, and list those of this person with the way to delete them."""
    st.caption(f"{UPLOADS.sentence} {DRAFTS.sentence} {ROLES.sentence}")
    show_outcome()
    uploads = uploads_of(owner())
    if not uploads:
        return
    whose = "Your uploaded files" if owner() else "Uploaded files"
    with st.expander(f"{whose} ({len(uploads)})", icon=":material/folder:"):
        for upload in uploads:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain_markdown(upload.title), width="content")
                st.caption(f"{_size(upload.size)}, uploaded {ago(upload.brought)}", width="content")
                if st.button("Delete", key=f"delete-{_place(upload)}", type="tertiary", icon=_ICON):
                    _ask_about_uploads([upload])
        if len(uploads) > 1 and st.button("Delete all of them", key="delete-uploads", icon=_ICON):
            _ask_about_uploads(list(uploads))


@st.dialog("Delete what was uploaded?")
def _ask_about_uploads(uploads: list[Upload]) -> None:
    names = ", ".join(upload.title for upload in uploads[:5]) + (" and others" if len(uploads) > 5 else "")
    is_or_are, them = ("is", "it") if len(uploads) == 1 else ("are", "them")
    st.markdown(
        f"**{plain_markdown(names)}** {is_or_are} deleted from this server for good, together with what was chosen for "
        f"{them} on the Data page. {_OUT_OF_REACH}"
    )
    audits = {folder for upload in uploads for folder in upload.readers()}
    if audits:
        st.checkbox(
            f"Delete {counted(len(audits), 'audit')} of {them} as well",
            key=_ALSO,
            help="Otherwise they stay: they hold names of columns and groups, counts, and numbers made from the rows.",
        )
    _decide(lambda: _delete_uploads(uploads, with_audits=bool(st.session_state.get(_ALSO))), "Delete")


def _delete_uploads(uploads: list[Upload], *, with_audits: bool) -> str:
    own = {upload.folder for upload in uploads_of(owner())}
    titles = [upload.title for upload in uploads]
    for upload in uploads:
        if upload.folder in own:  # whoever signed out meanwhile has none
            _note_upload(upload, with_audits=with_audits)
            forget_upload(upload, with_runs=with_audits)
            forget_roles_of(upload.folder)
            _let_go_of(upload)
    _empty_memory()
    return f"The file {titles[0]} was deleted." if len(titles) == 1 else f"{len(titles)} uploaded files were deleted."


def _note_upload(upload: Upload, *, with_audits: bool) -> None:
    """Write down what is about to be deleted, unless it cannot be."""
    check_not_needed(upload)
    audits = upload.readers() if with_audits else ()
    for folder in audits:
        check_deletable(folder)
    for folder in audits:
        note("deleted", what="audit", id=id_in(folder))
    note("deleted", what="upload", id=upload.digest)


def _let_go_of(upload: Upload) -> None:
    """Take a file out of what this session chose."""
    st.session_state[_TIMES] = int(st.session_state.get(_TIMES, 0)) + 1
    chosen = draft()
    if chosen is not None and upload.digest in chosen.data:
        drop_draft()


def _empty_memory() -> None:
    """Drop everything that pages keep in memory, where rows of what was deleted may be among it."""
    st.cache_data.clear()
    st.cache_resource.clear()


def _decide(delete: Callable[[], str], words: str) -> None:
    """Ask in a dialogue; what comes of it is said on the page below."""
    with st.container(horizontal=True):
        pressed = st.button(words, type="primary", key="delete-now", icon=_ICON, on_click=_try, args=(delete,))
        if st.button("Keep", key="delete-not") or pressed:
            st.rerun()


def _try(delete: Callable[[], str]) -> None:
    try:
        st.session_state[_SAID] = (True, delete())
    except Exception as problem:
        st.session_state[_SAID] = (False, sentence_for(problem))


def _place(upload: Upload) -> str:
    return f"{upload.folder.parent.name}-{upload.digest}"


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(1, round(size / 1000))} KB"
