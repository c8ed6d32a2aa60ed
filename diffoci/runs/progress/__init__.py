"""How far a run is: told by its cells, kept in its directory, read back while it runs or years later."""

from diffoci.runs.progress._read import CellProgress, Progress, read_history, read_progress

__all__ = ["CellProgress", "Progress", "read_history", "read_progress"]
