"""A finished run as one zip file: packed without its data, checked before it is opened elsewhere."""

from diffoci.runs.sharing._signature import signer_of
from diffoci.runs.sharing._zip_files import check_shared, open_shared, pack, remove_left_over

__all__ = ["check_shared", "open_shared", "pack", "remove_left_over", "signer_of"]
