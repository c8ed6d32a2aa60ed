"""Train: choose methods and settings, start an audit, watch it."""

from diffoci.ui import guarded, open_page

open_page("Train", "🏋️")
with guarded():
    pass
