"""Texts that strangers wrote: which of them can be shown, and Markdown that shows one letter by letter.

Whatever reads a text from outside asks here: a table at the door, an option, a result, a shared audit. So what was
taken in once is taken everywhere.
"""

from __future__ import annotations

import re

# Of any text that a result, a page or a report has, and of a name (a column, a group) that sentences are made with.
LONGEST_TEXT, LONGEST_NAME = 5000, 500
# Control characters but for tabs and line ends, which names of columns have, and halves of characters.
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_MARKUP = re.compile(r"([\\`*_\[\]|~$#])")
_ENTITIES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_BEGINNING = re.compile(r"^(\d*)([-+=.)])")  # of a list, or of a line below a heading
# Addresses, icons and emojis are found in the text that is left after every escape, unless something stands within.
_SIGNS = r"(?<=:)(?=[\w+/-])|(?<=www)(?=\.)|(?<=@)(?=[\w-])"
_WORD_JOINER = "\u2060"
_IN_DOCUMENTS = re.compile(_SIGNS, re.IGNORECASE)
# Streamlit also makes arrows and dashes of these, and has an element that may be empty.
_IN_STREAMLIT = re.compile(rf"{_SIGNS}|(?<=<)(?=[-=])|(?<=-)(?=[->])|(?<=[>~])(?==)", re.IGNORECASE)
EMPTY = ":small[]"


def can_be_shown(text: str, *, longest: int = LONGEST_TEXT) -> bool:
    r"""Say whether a page, a file and a terminal can show a text.

    >>> can_be_shown("naïve\ttext"), can_be_shown("a\x1b[2J"), can_be_shown("a" * 5001)
    (True, False, False)
    """
    return len(text) <= longest and _UNSHOWABLE.search(text) is None


def with_replacements(text: str) -> str:
    r"""Return a text with a sign of replacement for every character that cannot be shown.

    >>> with_replacements("a\x81b")
    'a�b'
    """
    return _UNSHOWABLE.sub("\ufffd", text)


def letter_by_letter(text: object, *, streamlit: bool = False) -> str:
    r"""Return Markdown that shows a text (the name of a column, say) and nothing else, on one line.

    In documents an invisible word joiner keeps addresses from becoming links; on Streamlit's pages nothing is added to
    what the reader sees and copies.

    Examples
    --------
    >>> letter_by_letter("<b>$x_1$"), letter_by_letter("- a\n# b")
    ('&lt;b&gt;\\$x\\_1\\$', '\\- a \\# b')
    >>> letter_by_letter("see www.stranger.example")
    'see www\u2060.stranger.example'
    >>> letter_by_letter("a -> www.b.example", streamlit=True)
    'a -:small[]&gt; www:small[].b.example'
    """
    signs, gap = (_IN_STREAMLIT, EMPTY) if streamlit else (_IN_DOCUMENTS, _WORD_JOINER)
    return _BEGINNING.sub(r"\1\\\2", gap.join(map(_escaped, signs.split(" ".join(str(text).split())))))


def _escaped(text: str) -> str:
    """Escape a piece; a colon at its end stands before what keeps it apart from the next one."""
    return re.sub(r":$", "&#58;", _MARKUP.sub(r"\\\1", text.translate(_ENTITIES)))


def counted(count: int, thing: str) -> str:
    """Say how many.

    Examples
    --------
    >>> counted(1, "part"), counted(3, "part")
    ('1 part', '3 parts')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
