"""Data: choose a source, look at it, name the label and the sensitive attributes."""

from diffoci.ui import guarded, open_page

open_page("Data", "🗂️")
with guarded():
    pass
