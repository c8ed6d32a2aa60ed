"""American Community Survey: tasks as folktables defines them, what their codes mean, and the files they come in."""

from diffoci.data.acs._sources import SOURCES
from diffoci.data.acs._tasks import TASKS, parse_states, problem_named

__all__ = ["SOURCES", "TASKS", "parse_states", "problem_named"]
