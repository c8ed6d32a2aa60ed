"""A page that shows the names strangers chose, in every way in which our pages show names."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from diffoci.ui.words import plain_markdown

LINKS = (
    "www.stranger.example",
    "WWW.Stranger.example",
    "www&period;stranger.example",
    "http&colon;//stranger.example",
    "https://stranger.example/a?b=c&d=e",
    "ftp://stranger.example",
    "<http://stranger.example>",
    "[x](http://stranger.example)",
    "![x](http://stranger.example/x.png)",
    "[x]: http://stranger.example",
    "ann@stranger.example",
    "mailto:a.b+c@d-e.stranger.example",
    "xmpp:ann@stranger.example/x",
)
SIGNS = (
    ":material/home:",
    ":material_home:",
    "T:material/home:",
    "&#58;material/home&#58;",
    "&colon;material_home&colon;",
    ":streamlit:",
    ":smile:",
    ":+1:",
    ":-1:",
    ":red[warning]",
    ":red-badge[warning]",
    ":small[warning]",
    ":help[warning]",
    "::note[warning]{a=b}",
    ":::note",
    "12:30:45",
    "a:b",
    "->",
    "a -> b",
    "<-",
    "a <- b",
    "<->",
    "<-->",
    "--",
    "a -- b",
    "a --- b",
    ">= 5",
    "a >= 5",
    "<= 5",
    "a ~= 5",
    "x<-y->z",
)
MARKUP = (
    "$x^2$",
    "costs $5 or $$6$$",
    "`code`",
    "```",
    "*a*",
    "**b**",
    "_c_ __d__",
    "~e~ ~~f~~",
    "# heading",
    "heading #",
    "- item",
    "+ item",
    "1. item",
    "2) item",
    "12.",
    "> quote",
    "===",
    "---",
    "***",
    "[x]",
    "[ ] task",
    "[^1]",
    "| a | b |",
    "<b>bold</b>",
    "<!-- comment -->",
    "<script>pwned=1</script>",
    "&lt;b&gt; &amp; &amp;amp; &nbsp;",
    "&",
    "C:\\new\\_x",
    "\\*a\\*",
    "backslash\\",
    "=cmd()",
    "-1+1",
    "{x} (c)",
    "Größe 名前",
)
NAMES = LINKS + SIGNS + MARKUP


def show(k: int, name: str) -> None:
    """Show one name, each time in a container with a name of its own."""
    words = plain_markdown(name)
    ways = {
        "title": lambda: st.title(words, anchor=False),
        "subheader": lambda: st.subheader(words, anchor=False),
        "markdown": lambda: st.markdown(words),
        "bold": lambda: st.markdown(f"**{words}**"),
        "point": lambda: st.markdown(f"- {words}"),
        "caption": lambda: st.caption(words),
        "error": lambda: st.error(words),
        "selectbox": lambda: st.selectbox(words, [name], key=f"a-box-{k}"),
        "toggle": lambda: st.toggle(words, key=f"a-toggle-{k}"),
        "slider": lambda: st.slider(words, 0, 1, key=f"a-slider-{k}"),
        "expander": lambda: st.expander(words),
        "progress": lambda: st.progress(0.5, text=words),
    }
    for way, draw in ways.items():
        with st.container(key=f"{way}-{k}"):
            draw()


if __name__ == "__main__":
    for number, one in enumerate(NAMES):
        show(number, one)
    with st.container(key="unescaped"):
        st.markdown(" ".join(name for name in LINKS + SIGNS if "!" not in name))  # and no picture that is fetched
    with st.container(key="table"):
        st.dataframe(pd.DataFrame({"name": NAMES}), height="content", hide_index=True)
    with st.container(key="chosen"):
        st.multiselect("All", NAMES, default=list(NAMES))
