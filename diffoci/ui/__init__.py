"""What every page is made of. The only part of diffoci that imports streamlit."""

from diffoci.ui.charts import show_drawing, show_table, show_wrapped
from diffoci.ui.frame import open_page, simulated_bar
from diffoci.ui.guard import guarded
from diffoci.ui.links import link, next_step
from diffoci.ui.runs.audits import chosen_audit, chosen_run, finished_audit, no_method_finished, shown_state
from diffoci.ui.runs.draft import Draft, draft, draft_dataset, keep_draft

__all__ = [
    "Draft",
    "chosen_audit",
    "chosen_run",
    "draft",
    "draft_dataset",
    "finished_audit",
    "guarded",
    "keep_draft",
    "link",
    "next_step",
    "no_method_finished",
    "open_page",
    "show_drawing",
    "show_table",
    "show_wrapped",
    "shown_state",
    "simulated_bar",
]
