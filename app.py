"""Home: what an audit is, start one, recent audits."""

import streamlit as st

if __name__ != "__main__":  # The server imports this file once, for what surrounds all pages ...
    from diffoci.server.surroundings import surroundings

    app = st.App(__file__, **surroundings())
else:  # ... and runs it for whoever opens the home page.
    from diffoci.ui import guarded, open_page
    from diffoci.ui.cards import data_cards, example_buttons
    from diffoci.ui.runs.device import device_words, waiting_words
    from diffoci.ui.runs.recent import recent_audits
    from diffoci.ui.runs.sharing import open_from_elsewhere

    open_page("Home")
    with guarded():
        st.title("What do your data reveal?", anchor=False)
        st.markdown(
            "An audit measures how well a sensitive attribute, such as sex or race, can be guessed from data that "
            "should not reveal it, trains representations that reveal less, and shows what that costs in predicting "
            "the outcome."
        )
        example_buttons()
        st.subheader("Start from data", anchor=False)
        data_cards()
        recent_audits()
        open_from_elsewhere()
        st.caption(f"Computing on {device_words()}. {waiting_words()}")
